import { isError, type KubeObject } from '@chandlery/api';
import { isDeleting } from '@chandlery/runtime';
import { appliedStateOf, isFulfilled, isUnchanged } from './applied-state.ts';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import { diffFields } from './field-diff.ts';
import type { KindWatch } from './kind-watch.ts';
import type { Change, ChangeAction } from './managed-objects.ts';
import { keepOwned } from './owned-fields.ts';
import { contentHashAnnotation, isReleased, otherOwner, takeOverPatch, userAnnotation } from './ownership.ts';
import { type Health, healthOf } from './readiness.ts';
import { connectionOf, findObject, type Work, wrapError } from './work.ts';

/** The outcome of applying one object. */
export interface Applied {
  readonly health: Health;
  readonly change?: Change;
  /** Another owner has the object. */
  readonly isConflict?: boolean;
  /** The object does not exist, and the management policies do not allow its creation. */
  readonly isMissing?: boolean;
  /** No watch reports when the object can be applied. */
  readonly isBlind?: boolean;
  /** When the watch detected the deviation. */
  readonly driftedAtMs?: number | undefined;
}

/** Applies one desired object unless the live object is as desired. */
export async function applyObject(work: Work, desired: DesiredObject): Promise<Applied> {
  const live = await findObject(work, desired);
  const obstacle = live === undefined ? undefined : obstacleOf(work, desired, live);
  if (obstacle?.isConflict) {
    watchOf(work, desired).drop(desired.ref, work.owner.key);
    work.conflicts.watch(connectionOf(work, desired), desired.ref, work.owner.key);
    return obstacle;
  }
  work.conflicts.end(connectionOf(work, desired), desired.ref, work.owner.key);
  if (obstacle !== undefined) return obstacle;
  if (live !== undefined && isAsDesired(work, desired, live)) return keepAsIs(work, desired, live);
  const { allows } = work.owner;
  if (live === undefined && allows?.has('Create') === false) return notCreated;
  if (live !== undefined && allows?.has('Update') === false)
    return { health: healthOf(live, desired.isReady), isBlind: true };
  try {
    return await write(work, desired, live);
  } catch (error) {
    if (isTooEarly(error)) return { health: tooEarly(error.message), isBlind: true };
    throw wrapError(error, `apply ${titleOf(desired.body)} ${whereOf(desired.role)}`);
  }
}

const notCreated: Applied = {
  health: { phase: 'Pending', message: 'it does not exist, and managementPolicies do not let it be created' },
  isMissing: true,
  isBlind: true,
};

const watchOf = (work: Work, desired: DesiredObject): KindWatch =>
  work.watches.watch(connectionOf(work, desired), desired.ref);

/** Returns why an object must not be written now; undefined when it may be. */
export function obstacleOf(work: Work, desired: DesiredObject, live: KubeObject): Applied | undefined {
  const { provider, owner } = work;
  const isOurs = watchOf(work, desired).isKept(desired, live, owner.key);
  const other = isOurs ? undefined : otherOwner(live, { provider, owner, isShared: desired.isShared });
  if (other !== undefined) {
    const message = `it belongs to ${other}; choose another name or delete it there`;
    return { health: { phase: 'Failed', message }, isConflict: true, isBlind: true };
  }
  return isDeleting(live) ? { health: healthOf(live) } : undefined;
}

/** Whether the live object needs no write. */
export function isAsDesired(work: Work, desired: DesiredObject, live: KubeObject): boolean {
  const { owner, fieldManager } = work;
  if (isReleased(live, owner)) return false;
  if (desired.isShared && live.metadata.annotations?.[userAnnotation(owner)] !== owner.key) return false;
  const settled = watchOf(work, desired).settledFor(desired);
  return settled === undefined ? isFulfilled(desired.body, live, fieldManager) : isUnchanged(settled, live);
}

/** Whether a deviation is drift: the watch, or the object's annotation, shows that this content was applied before. */
export function isDrift(work: Work, desired: DesiredObject, live: KubeObject | undefined): boolean {
  if (live?.metadata.annotations?.[contentHashAnnotation] === desired.hash) return true;
  return watchOf(work, desired).settledFor(desired) !== undefined;
}

export function changeOf(
  { role, body }: DesiredObject,
  action: ChangeAction,
  fields: readonly string[],
  drift: boolean,
): Change {
  const { name = '', namespace } = body.metadata;
  return { cluster: role, action, kind: body.kind, namespace, name, fields, isDrift: drift };
}

function keepAsIs(work: Work, desired: DesiredObject, live: KubeObject): Applied {
  const watch = watchOf(work, desired);
  const settled = watch.settledFor(desired) ?? appliedStateOf(desired.hash, live, work.fieldManager);
  const driftedAtMs = watch.keep(desired, live, { owner: work.owner.key, settled });
  return { health: healthOf(live, desired.isReady), driftedAtMs };
}

async function write(work: Work, desired: DesiredObject, before: KubeObject | undefined): Promise<Applied> {
  const watch = watchOf(work, desired);
  const drift = isDrift(work, desired, before);
  const done = watch.startWriting(desired);
  try {
    const applied = await send(work, desired, before);
    const settled = appliedStateOf(desired.hash, applied, work.fieldManager);
    const driftedAtMs = watch.keep(desired, applied, { owner: work.owner.key, settled });
    return { health: healthOf(applied, desired.isReady), driftedAtMs, ...written(desired, { before, applied, drift }) };
  } finally {
    done();
  }
}

interface Written {
  readonly before: KubeObject | undefined;
  readonly applied: KubeObject;
  readonly drift: boolean;
}

/** Reports no change when the server found nothing to change. */
function written(desired: DesiredObject, { before, applied, drift }: Written): Pick<Applied, 'change'> {
  if (before === undefined) return { change: changeOf(desired, 'create', [], drift) };
  const fields = diffFields(before, applied);
  return fields.length === 0 ? {} : { change: changeOf(desired, 'update', fields, drift) };
}

/** Adds this user to a shared object before the apply, so that its last other user does not delete it. */
async function send(work: Work, desired: DesiredObject, before: KubeObject | undefined): Promise<KubeObject> {
  if (before !== undefined && desired.isShared) await addUser(work, desired, before);
  const { client } = connectionOf(work, desired);
  const patch = { type: 'apply', body: desired.body, force: true } as const;
  const { fieldManager, signal } = work;
  const written = await client.patch(desired.ref, patch, { fieldManager, signal });
  const applied = isReleased(written, work.owner)
    ? await client.patch(desired.ref, { type: 'merge', body: { metadata: takeOverPatch } }, { fieldManager, signal })
    : written;
  const marked = desired.isShared ? await addUser(work, desired, applied) : applied;
  return keepOwned(fieldManager)(marked);
}

async function addUser(work: Work, desired: DesiredObject, live: KubeObject): Promise<KubeObject> {
  const { owner, fieldManager, signal } = work;
  const mark = { [userAnnotation(owner)]: owner.key };
  if (live.metadata.annotations?.[userAnnotation(owner)] === owner.key) return live;
  const { client } = connectionOf(work, desired);
  const patch = { type: 'merge', body: { metadata: { annotations: mark } } } as const;
  return client.patch(desired.ref, patch, { fieldManager: `${fieldManager}.users`, signal });
}

/** The kind is not served yet, or the namespace does not exist or is being deleted. */
const isTooEarly = (error: unknown): error is Error =>
  isError(error, 'NotFound') ||
  (isError(error, 'Forbidden') && (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating'));

const tooEarly = (why: string): Health => ({ phase: 'Pending', message: `the cluster does not take it yet: ${why}` });
