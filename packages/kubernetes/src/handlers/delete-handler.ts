import { methodNotAllowed } from '@chandlery/api';
import { deleteCollection, deleteObject } from '@chandlery/kernel';
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

/** Deletes what the selectors say, and responds with the list of what was there. */
export async function handleDeleteCollection(call: ResourceCall): Promise<void> {
  const { kernel, target } = call;
  if (target.resource.kind.isNamespaced && target.namespace === '') throw methodNotAllowed();
  const { isDryRun, ...options } = deleteOptionsOf(call);
  const write = { ...writeOptions(call), ...(isDryRun ? { dryRun: true } : {}) };
  await sendList(call, await deleteCollection(kernel.needs, target, write, { request: listRequestOf(call), options }));
}
