import type { HttpHost } from '@chandlery/http';
import type { Verb } from '@chandlery/kernel';
import { type ResourceCall, warn } from '../call.ts';
import { sendList, sendObject } from '../respond.ts';
import { streamWatch } from '../watch/stream-watch.ts';
import { browseRequestOf, sendBrowsed } from './browse.ts';
import { handleDelete, handleDeleteCollection } from './delete-handler.ts';
import { listRequestOf } from './list-request.ts';
import { revisionRequestOf, sendRevisions } from './revisions.ts';
import { handleScale } from './scale-handler.ts';
import { handleCreate, handlePatch, handleUpdate } from './write-handler.ts';

/** Handles a verb on a resource or one of its generic sub-resources (status, scale, finalize). */
export async function handleResource(
  call: ResourceCall,
  verb: Verb,
  openStream: HttpHost['openStream'],
): Promise<void> {
  warnIfDeprecated(call);
  if (call.subresource === 'scale') return handleScale(call, verb);
  switch (verb) {
    case 'get':
      return handleGet(call);
    case 'list':
      return handleList(call);
    case 'watch':
      return streamWatch(call, openStream);
    case 'create':
      return handleCreate(call);
    case 'update':
      return handleUpdate(call);
    case 'patch':
      return handlePatch(call);
    case 'delete':
      return handleDelete(call);
    case 'deletecollection':
      return handleDeleteCollection(call);
  }
}

async function handleGet(call: ResourceCall): Promise<void> {
  const past = revisionRequestOf(call.query);
  if (past !== undefined) return sendRevisions(call, past);
  sendObject(call, 200, await call.calls.get(call.target, call.query.get('resourceVersion') ?? ''));
}

async function handleList(call: ResourceCall): Promise<void> {
  const browse = browseRequestOf(call.query);
  if (browse !== undefined) return sendBrowsed(call, browse);
  await sendList(call, await call.calls.list(call.target, listRequestOf(call)));
}

function warnIfDeprecated({ target: { resource }, reply }: ResourceCall): void {
  const { deprecated, deprecationWarning, name } = resource.version.declaration;
  if (!deprecated) return;
  warn(reply, deprecationWarning ?? `${resource.kind.group}/${name} ${resource.kind.kind} is deprecated`);
}
