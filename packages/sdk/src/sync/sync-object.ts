import { isError, type KubeObject } from '@chandlery/api';
import { hasFinalizer, isSameJson, parseKey, type WorkResult } from '@chandlery/runtime';
import { isFulfilled } from '../objects/applied-state.ts';
import { titleOf } from '../objects/desired-object.ts';
import { contentHashAnnotation } from '../objects/ownership.ts';
import { carryRelated, cleanRelated } from './carry-related.ts';
import { copyBody, hasStatus } from './copy-body.ts';
import { decideSync, type SyncAction } from './decide-sync.ts';
import { type Obstacle, statusUp } from './status-up.ts';
import { holderOf, isLinked, sourceIndexValue, syncFinalizer, syncManagerOf } from './sync-ownership.ts';
import { applyAs, copyRefOf, deleteSeen, linkOf, readLive, refTo, type SyncWork } from './sync-work.ts';

/** How long a conflict with an object of another owner waits: no watch reports its removal. */
const conflictRetryMs = 30_000;
/** How long to wait for the watch of a source that the cache does not have. */
const sourceRetryMs = 1000;

interface State {
  source: KubeObject | undefined;
  copy: KubeObject | undefined;
  obstacle: Obstacle | undefined;
  /** No copy can have existed before. */
  isNew: boolean;
}

/** Reconciles a source and its copy once, from their live state. */
export async function syncObject(work: SyncWork): Promise<WorkResult> {
  const source = findSource(work);
  if (source === undefined && !(await isSourceRemoved(work))) return { requeueAfterMs: sourceRetryMs };
  await removeStrays(work, source);
  const state: State = { source, copy: await findCopy(work, source), obstacle: undefined, isNew: false };
  for (const action of decideSync({ ...state, ...judge(work, state) })) await perform(work, state, action);
  return state.obstacle?.reason === 'Conflict' ? { requeueAfterMs: conflictRetryMs } : 'done';
}

/** Compares an existing copy with its desired body. */
function judge(work: SyncWork, { source, copy }: State): { isLinked: boolean; isAsDesired: boolean } {
  if (copy === undefined || !isLinked(copy, linkOf(work))) return { isLinked: false, isAsDesired: false };
  const desired = source === undefined ? undefined : bodyOf(work, source);
  return {
    isLinked: true,
    isAsDesired: desired !== undefined && isFulfilled(desired, copy, syncManagerOf(work.provider)),
  };
}

async function perform(work: SyncWork, state: State, action: SyncAction): Promise<void> {
  const { source, copy } = state;
  switch (action) {
    case 'add-finalizer':
      state.isNew = true;
      state.source =
        source && (await writeFinalizers(work, source, [...(source.metadata.finalizers ?? []), syncFinalizer]));
      return;
    case 'apply-copy':
      return applyCopy(work, state);
    case 'carry-related':
      if (source && state.copy) state.obstacle ??= await carryRelated(work, { source, copy: state.copy });
      return;
    case 'carry-status':
      return carryStatus(work, state);
    case 'report-conflict':
      state.obstacle = conflictWith(holderOf(copy, linkOf(work)));
      return carryStatus(work, { ...state, copy: undefined });
    case 'clean-related':
      return cleanRelated(work);
    case 'delete-copy':
      if (copy)
        await deleteSeen(work.workload.client, refTo(work.definition.kind.ref, copy.metadata), copy, work.signal);
      return;
    case 'remove-finalizer':
      return removeFinalizer(work, source);
    case 'wait':
      return;
  }
}

const bodyOf = (work: SyncWork, source: KubeObject): KubeObject =>
  copyBody(work.definition, source, { link: linkOf(work), place: placeIn(copyRefOf(work, source)) });

const placeIn = ({ namespace, name }: { namespace?: string; name: string }) =>
  namespace ? { namespace, name } : { name };

function findSource({ mcp, definition, source }: SyncWork): KubeObject | undefined {
  const { namespace, name } = parseKey(source);
  return mcp.side.main(definition).get(namespace, name);
}

/**
 * A source that is missing in the cache does not suffice to delete its copy: the kind may not be served at the moment.
 */
async function isSourceRemoved({ mcp, definition, source, signal }: SyncWork): Promise<boolean> {
  const ref = refTo(definition.kind.ref, parseKey(source));
  try {
    await mcp.client.get(ref, { signal });
    return false;
  } catch (error) {
    if (isError(error, 'NotFound')) return error.details.name === ref.name;
    throw error;
  }
}

/** The object at the copy's place, of any owner; for a deleted source, the object created for it. */
async function findCopy(work: SyncWork, source: KubeObject | undefined): Promise<KubeObject | undefined> {
  const copies = work.workload.side.main(work.definition);
  if (source === undefined) return madeFor(work)[0];
  const ref = copyRefOf(work, source);
  return copies.get(ref.namespace, ref.name) ?? (await readLive(work.workload.client, ref, work)) ?? undefined;
}

const madeFor = (work: SyncWork): readonly KubeObject[] =>
  work.workload.side.main(work.definition).byIndex('source', sourceIndexValue(linkOf(work)));

/** Deletes copies at former places. */
async function removeStrays(work: SyncWork, source: KubeObject | undefined): Promise<void> {
  const place = source === undefined ? undefined : copyRefOf(work, source);
  const [, ...surplus] = madeFor(work);
  const strays = place === undefined ? surplus : madeFor(work).filter(({ metadata }) => !isSamePlace(metadata, place));
  for (const stray of strays) {
    await deleteSeen(work.workload.client, refTo(work.definition.kind.ref, stray.metadata), stray, work.signal);
  }
}

const isSamePlace = (a: { name?: string; namespace?: string }, b: { name?: string; namespace?: string }): boolean =>
  a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');

/** Whether the write repairs a deviation: the copy has the hash of this content, or the source had a copy before. */
function isRepair({ copy, isNew }: State, body: KubeObject): boolean {
  if (copy === undefined) return !isNew;
  return copy.metadata.annotations?.[contentHashAnnotation] === body.metadata.annotations?.[contentHashAnnotation];
}

async function applyCopy(work: SyncWork, state: State): Promise<void> {
  const { source } = state;
  if (source === undefined) return;
  const body = bodyOf(work, source);
  if (isRepair(state, body)) work.repaired(body.kind, titleOf(body));
  try {
    state.copy = await applyAs(work.workload.client, copyRefOf(work, source), body, work);
    work.workload.side.main(work.definition).note(state.copy);
  } catch (error) {
    if (!isError(error, 'Invalid')) throw error;
    state.obstacle = { reason: 'Invalid', message: error.message };
  }
}

/** Writes the status only when it differs; changes by a tenant are reverted. */
async function carryStatus(work: SyncWork, { source, copy, obstacle }: State): Promise<void> {
  if (source === undefined || !hasStatus(work.definition.kind)) return;
  const status = statusUp(source, copy, { obstacle, now: work.now });
  if (isSameJson(status ?? {}, source['status'] ?? {})) return;
  const ref = { ...refTo(work.definition.kind.ref, source.metadata), subresource: 'status' };
  const { client, side } = work.mcp;
  const fieldManager = syncManagerOf(work.provider);
  side
    .main(work.definition)
    .note(await client.update(ref, { ...source, status }, { fieldManager, signal: work.signal }));
}

async function writeFinalizers(work: SyncWork, source: KubeObject, finalizers: string[]): Promise<KubeObject> {
  const { uid, resourceVersion } = source.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers } };
  const options = { fieldManager: syncManagerOf(work.provider), signal: work.signal };
  const ref = refTo(work.definition.kind.ref, source.metadata);
  const written = await work.mcp.client.patch(ref, { type: 'merge', body }, options);
  work.mcp.side.main(work.definition).note(written);
  return written;
}

/** Checks the server before the finalizer is removed: the cache may not have a new copy yet. */
async function removeFinalizer(work: SyncWork, source: KubeObject | undefined): Promise<void> {
  if (source === undefined || !hasFinalizer(source, syncFinalizer)) return;
  if (madeFor(work).length > 0) return;
  const copy = await readLive(work.workload.client, copyRefOf(work, source), work);
  if (copy !== undefined && isLinked(copy, linkOf(work))) return;
  const others = (source.metadata.finalizers ?? []).filter(finalizer => finalizer !== syncFinalizer);
  try {
    await writeFinalizers(work, source, others);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

const conflictWith = (holder: string): Obstacle => ({
  reason: 'Conflict',
  message: `The place of this object is taken by ${holder}; choose another name.`,
});
