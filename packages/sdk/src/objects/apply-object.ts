import { isError, type KubeObject } from '@chandlery/api';
import { isDeleting } from '@chandlery/runtime';
import { diffFields } from './field-diff.ts';
import type { KindWatch } from './kind-watch.ts';
import type { Change, ChangeAction } from './managed-objects.ts';
import { isTakenBack, otherOwner, takingBack, userAnnotation, wishAnnotation } from './marks.ts';
import { keepOwned } from './owned-fields.ts';
import { type Health, healthOf } from './readiness.ts';
import { isFulfilled, isUnchanged, settle } from './settled.ts';
import { titleOf, type Wish, whereOf } from './wish.ts';
import { connectionOf, findObject, type Work, wrapError } from './work.ts';

/** What became of a wish. */
export interface Applied {
  readonly health: Health;
  readonly change?: Change;
  /** Somebody else has the object. */
  readonly isConflict?: boolean;
  /** It is not there, and must not be made. */
  readonly isMissing?: boolean;
  /** Nothing will tell when it can go on. */
  readonly isBlind?: boolean;
  /** Since when the watch knew that the object was not as wished for. */
  readonly driftedAtMs?: number | undefined;
}

/** Makes one wish true, if it is not. */
export async function applyWish(work: Work, wish: Wish): Promise<Applied> {
  const live = await findObject(work, wish);
  const refusal = live === undefined ? undefined : refusalOf(work, wish, live);
  if (refusal?.isConflict) {
    watchOf(work, wish).drop(wish.ref, work.owner.key);
    work.conflicts.watch(connectionOf(work, wish), wish.ref, work.owner.key);
    return refusal;
  }
  work.conflicts.end(connectionOf(work, wish), wish.ref, work.owner.key);
  if (refusal !== undefined) return refusal;
  if (live !== undefined && isAsWished(work, wish, live)) return keepAsIs(work, wish, live);
  const { allows } = work.owner;
  if (live === undefined && allows?.has('Create') === false) return notCreated;
  if (live !== undefined && allows?.has('Update') === false)
    return { health: healthOf(live, wish.isReady), isBlind: true };
  try {
    return await write(work, wish, live);
  } catch (error) {
    if (isTooEarly(error)) return { health: tooEarly(error.message), isBlind: true };
    throw wrapError(error, `apply ${titleOf(wish.body)} ${whereOf(wish.role)}`);
  }
}

const notCreated: Applied = {
  health: { phase: 'Pending', message: 'it does not exist, and managementPolicies do not let it be created' },
  isMissing: true,
  isBlind: true,
};

const watchOf = (work: Work, wish: Wish): KindWatch => work.watches.watch(connectionOf(work, wish), wish.ref);

/** Why an object is not to be touched now. */
export function refusalOf(work: Work, wish: Wish, live: KubeObject): Applied | undefined {
  const { provider, owner } = work;
  const isOurs = watchOf(work, wish).isKept(wish, live, owner.key);
  const other = isOurs ? undefined : otherOwner(live, { provider, owner, isShared: wish.isShared });
  if (other !== undefined) {
    const message = `it belongs to ${other}; choose another name or delete it there`;
    return { health: { phase: 'Failed', message }, isConflict: true, isBlind: true };
  }
  return isDeleting(live) ? { health: healthOf(live) } : undefined;
}

/** Whether nothing has to be written. */
export function isAsWished(work: Work, wish: Wish, live: KubeObject): boolean {
  const { owner, fieldManager } = work;
  if (isTakenBack(live, owner)) return false;
  if (wish.isShared && live.metadata.annotations?.[userAnnotation(owner)] !== owner.key) return false;
  const settled = watchOf(work, wish).settledFor(wish);
  return settled === undefined ? isFulfilled(wish.body, live, fieldManager) : isUnchanged(settled, live);
}

/** The wish is not new: the watch knew it fulfilled, or the object says that it was applied. */
export function isDrift(work: Work, wish: Wish, live: KubeObject | undefined): boolean {
  if (live?.metadata.annotations?.[wishAnnotation] === wish.hash) return true;
  return watchOf(work, wish).settledFor(wish) !== undefined;
}

export function changeOf(
  { role, body }: Wish,
  action: ChangeAction,
  fields: readonly string[],
  drift: boolean,
): Change {
  const { name = '', namespace } = body.metadata;
  return { cluster: role, action, kind: body.kind, namespace, name, fields, isDrift: drift };
}

function keepAsIs(work: Work, wish: Wish, live: KubeObject): Applied {
  const watch = watchOf(work, wish);
  const settled = watch.settledFor(wish) ?? settle(wish.hash, live, work.fieldManager);
  const driftedAtMs = watch.keep(wish, live, { owner: work.owner.key, settled });
  return { health: healthOf(live, wish.isReady), driftedAtMs };
}

async function write(work: Work, wish: Wish, before: KubeObject | undefined): Promise<Applied> {
  const watch = watchOf(work, wish);
  const drift = isDrift(work, wish, before);
  const done = watch.startWriting(wish);
  try {
    const applied = await send(work, wish, before);
    const settled = settle(wish.hash, applied, work.fieldManager);
    const driftedAtMs = watch.keep(wish, applied, { owner: work.owner.key, settled });
    return { health: healthOf(applied, wish.isReady), driftedAtMs, ...written(wish, { before, applied, drift }) };
  } finally {
    done();
  }
}

interface Written {
  readonly before: KubeObject | undefined;
  readonly applied: KubeObject;
  readonly drift: boolean;
}

/** The server may find that all was well: then nothing changed. */
function written(wish: Wish, { before, applied, drift }: Written): Pick<Applied, 'change'> {
  if (before === undefined) return { change: changeOf(wish, 'create', [], drift) };
  const fields = diffFields(before, applied);
  return fields.length === 0 ? {} : { change: changeOf(wish, 'update', fields, drift) };
}

/** A shared object gets the mark of this user first, so that the last of the others does not take it away. */
async function send(work: Work, wish: Wish, before: KubeObject | undefined): Promise<KubeObject> {
  if (before !== undefined && wish.isShared) await addUser(work, wish, before);
  const { client } = connectionOf(work, wish);
  const patch = { type: 'apply', body: wish.body, force: true } as const;
  const { fieldManager, signal } = work;
  const written = await client.patch(wish.ref, patch, { fieldManager, signal });
  const applied = isTakenBack(written, work.owner)
    ? await client.patch(wish.ref, { type: 'merge', body: { metadata: takingBack } }, { fieldManager, signal })
    : written;
  const marked = wish.isShared ? await addUser(work, wish, applied) : applied;
  return keepOwned(fieldManager)(marked);
}

async function addUser(work: Work, wish: Wish, live: KubeObject): Promise<KubeObject> {
  const { owner, fieldManager, signal } = work;
  const mark = { [userAnnotation(owner)]: owner.key };
  if (live.metadata.annotations?.[userAnnotation(owner)] === owner.key) return live;
  const { client } = connectionOf(work, wish);
  const patch = { type: 'merge', body: { metadata: { annotations: mark } } } as const;
  return client.patch(wish.ref, patch, { fieldManager: `${fieldManager}.users`, signal });
}

/** The kind is not served yet, or the namespace is not there or on its way out. */
const isTooEarly = (error: unknown): error is Error =>
  isError(error, 'NotFound') ||
  (isError(error, 'Forbidden') && (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating'));

const tooEarly = (why: string): Health => ({ phase: 'Pending', message: `the cluster does not take it yet: ${why}` });
