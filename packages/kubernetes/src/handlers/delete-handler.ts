import { isError, type KubeObject, methodNotAllowed } from '@chandlery/api';
import { type DeleteOptions, deleteObject, listObjects, type Target } from '@chandlery/kernel';
import { type ResourceCall, writeOptions } from '../call.ts';
import { sendJson, sendList, sendObject } from '../respond.ts';
import { deletedStatus } from '../status.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { listRequestOf } from './list-request.ts';

/** DELETE of one object. */
export async function handleDelete(call: ResourceCall): Promise<void> {
  const { kernel, target } = call;
  const options = deleteOptionsOf(call);
  const write = { ...writeOptions(call), ...(options.isDryRun ? { dryRun: true } : {}) };
  const { served, isGone } = await deleteObject(kernel.needs, target, write, options);
  const { kind } = target.resource;
  if (!isGone || kind.resource === '/pods') return sendObject(call, 200, served);
  const details = { name: target.name, kind: kind.plural, uid: served.object.metadata.uid };
  sendJson(call, 200, deletedStatus({ ...details, ...(kind.group === '' ? {} : { group: kind.group }) }));
}

const deletePageSize = 500;
const deletesAtOnce = 50;

/** Deletes what the selectors say, page by page, and answers with the list of what was there. */
export async function handleDeleteCollection(call: ResourceCall): Promise<void> {
  const { kernel, target } = call;
  if (target.resource.kind.isNamespaced && target.namespace === '') throw methodNotAllowed();
  const { isDryRun, ...options } = deleteOptionsOf(call);
  const write = { ...writeOptions(call), ...(isDryRun ? { dryRun: true } : {}) };
  const request = { ...listRequestOf(call), limit: deletePageSize };
  const first = await listObjects(kernel.needs, target, request);
  const items = [...first.items];
  for (let next = first.continue; next !== undefined; ) {
    const page = await listObjects(kernel.needs, target, {
      ...request,
      resourceVersion: '',
      resourceVersionMatch: '',
      continue: next,
    });
    items.push(...page.items);
    next = page.continue;
  }
  // Some together, so that they share commits.
  for (let start = 0; start < items.length; start += deletesAtOnce) {
    const some = items.slice(start, start + deletesAtOnce);
    await Promise.all(some.map(({ object }) => removeOne(call, object, write, options)));
  }
  await sendList(call, { items, revision: await kernel.store.currentRevision(), rest: undefined });
}

async function removeOne(
  { kernel, target }: ResourceCall,
  object: KubeObject,
  write: ReturnType<typeof writeOptions>,
  options: DeleteOptions,
): Promise<void> {
  const item: Target = { ...target, namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
  try {
    await deleteObject(kernel.needs, item, write, options);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
