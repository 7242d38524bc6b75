import { methodNotAllowed } from '@chandlery/api';
import { type ResourceCall, writeOptions } from '../call.ts';
import { sendJson, sendList, sendObject } from '../respond.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { listRequestOf } from './list-request.ts';

/** DELETE of one object. */
export async function handleDelete(call: ResourceCall): Promise<void> {
  const options = deleteOptionsOf(call);
  const write = { ...writeOptions(call), ...(options.isDryRun ? { dryRun: true } : {}) };
  const { served, status } = await call.calls.delete(call, write, options);
  if (status === undefined) sendObject(call, 200, served);
  else sendJson(call, 200, status);
}

/** DELETE of a collection: deletes the selected objects and responds with their list. */
export async function handleDeleteCollection(call: ResourceCall): Promise<void> {
  const { target } = call;
  if (target.resource.kind.isNamespaced && target.namespace === '') throw methodNotAllowed();
  const { isDryRun, ...options } = deleteOptionsOf(call);
  const write = { ...writeOptions(call), ...(isDryRun ? { dryRun: true } : {}) };
  await sendList(call, await call.calls.deleteCollection(call, write, { request: listRequestOf(call), options }));
}
