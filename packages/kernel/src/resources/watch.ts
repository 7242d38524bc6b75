import { apiError, fieldCause, invalidOptions, isError } from '@chandlery/api';
import { matchForbidden, openList, parseRevision, waitForRevision } from './read.ts';
import type { ResourceDeps, Target } from './request.ts';
import { type SelectorTexts, selectObjects } from './selection.ts';
import type { Served } from './served.ts';
import { type Watch, Watcher, type WatchSink } from './watcher.ts';

export type { Watch, WatchItem, WatchSink } from './watcher.ts';

export interface WatchRequest extends SelectorTexts {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
}

/**
 * Opens a watch: the present state first where the request asks for it, then changes, in order, none missing and none
 * twice. Rejects with `Expired` when the start is no longer in history.
 */
export async function watchObjects(
  deps: ResourceDeps,
  target: Target,
  request: WatchRequest,
  sink: WatchSink,
): Promise<Watch> {
  const wantsInitial = checkRequest(request);
  const selection = selectObjects(target, request);
  const watcher = new Watcher(deps, target, selection, sink);
  try {
    const start = wantsInitial ? await sendInitial(deps, target, request, sink) : await startRevision(deps, request);
    await watcher.start(start);
    return watcher;
  } catch (error) {
    watcher.stop();
    throw isError(error, 'Compacted') ? apiError('Expired', 'too old resource version', {}, error) : error;
  }
}

/** Whether the present state is to be sent. */
function checkRequest({
  resourceVersion = '',
  resourceVersionMatch = '',
  sendInitialEvents,
  allowWatchBookmarks,
}: WatchRequest): boolean {
  if (sendInitialEvents === undefined) {
    if (resourceVersionMatch !== '')
      throw matchForbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
    return resourceVersion === '' || resourceVersion === '0';
  }
  if (resourceVersionMatch !== 'NotOlderThan') {
    throw matchForbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (sendInitialEvents && !allowWatchBookmarks) {
    const detail = 'sendInitialEvents requires allowWatchBookmarks';
    throw invalidOptions('ListOptions', fieldCause.forbidden('sendInitialEvents', detail));
  }
  return sendInitialEvents;
}

async function startRevision(deps: ResourceDeps, { resourceVersion = '' }: WatchRequest): Promise<number> {
  if (resourceVersion === '' || resourceVersion === '0') return deps.store.currentRevision();
  await waitForRevision(deps, resourceVersion);
  return parseRevision(resourceVersion);
}

/** Sends the present state piece by piece, all of one revision, and returns that revision. */
async function sendInitial(
  deps: ResourceDeps,
  target: Target,
  request: WatchRequest,
  sink: WatchSink,
): Promise<number> {
  const { labelSelector, fieldSelector } = request;
  await waitForRevision(deps, request.resourceVersion ?? '');
  const list = await openList(deps, target, { labelSelector, fieldSelector });
  const deliver = (items: readonly Served[]) =>
    sink.deliver(items.map(served => ({ type: 'ADDED', served, source: undefined })));
  await deliver(list.items);
  for await (const items of list.rest ?? []) {
    if (sink.isClosed?.()) break;
    await deliver(items);
  }
  if (request.sendInitialEvents)
    await sink.deliver([{ type: 'BOOKMARK', revision: list.revision, isInitialEnd: true }]);
  return list.revision;
}
