import { isDeepStrictEqual } from 'node:util';
import { conflict, formatTime, type KubeObject, notFound } from '@chandlery/api';
import { Pace } from '@chandlery/platform';
import { type Behaviour, behaviourOf } from '../behaviours/behaviour.ts';
import { commitWrites, deleteOf, lostRace, putOf } from './commit.ts';
import { reportWrite } from './internal-write.ts';
import { linkTrace } from './link-trace.ts';
import { isReleased } from './mutate.ts';
import { contextOf } from './prepare.ts';
import { keyOfTarget, type ResourceDeps, type Target, type WriteOptions } from './request.ts';
import { type Served, serveObject, serveStored } from './served.ts';
import { cloneObject } from './shape.ts';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

export interface DeleteResult {
  /** The last state, or the present one of an object that is still held. */
  readonly served: Served;
  readonly isRemoved: boolean;
}

const maxAttempts = 20;

/** Removes an object, or marks it for removal when finalizers or a grace period hold it. Safe to repeat. */
export async function deleteObject(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  options: DeleteOptions = {},
): Promise<DeleteResult> {
  const key = keyOfTarget(target);
  const { kind } = target.resource;
  const behaviour = behaviourOf(deps.behaviours, kind.resource);
  const context = contextOf(deps, target, write);
  for (let attempt = 1; ; attempt++) {
    const stored = await deps.store.get(key);
    if (stored === undefined) throw notFound(kind.groupResource, target.name);
    const pace = new Pace();
    const live = serveStored(target.resource, deps.codec, stored);
    checkPreconditions(target, live.object, options);
    if (pace.isDue) await pace.rest();
    await behaviour.beforeDelete?.(live.object, context);
    await deps.admission.beforeDelete?.(live.object, context);
    const next = marked(live.object, behaviour, options, deps.clock.now());
    if (pace.isDue) await pace.rest();
    if (live.object.metadata.deletionTimestamp === undefined) behaviour.onTerminating?.(next, context);
    const isRemoved = isReleased(next, behaviour.isHeld?.(next) ?? false);
    const isPresent = !isRemoved && isDeepStrictEqual(next, live.object);
    if (pace.isDue) await pace.rest();
    if (isPresent || write.dryRun)
      return { served: serveObject(next, live.revision), isRemoved: isRemoved && !isPresent };
    if (next.metadata.generation !== live.object.metadata.generation) linkTrace(kind, next);
    const expect = { type: 'revision', revision: stored.revision } as const;
    const operation = isRemoved ? deleteOf(deps, kind, key, live.object, expect) : putOf(deps, kind, key, next, expect);
    try {
      const revision = await commitWrites(deps, { writes: [operation] });
      reportWrite(deps, target, write, 'delete');
      return { served: serveObject(isRemoved ? live.object : next, revision), isRemoved };
    } catch (error) {
      if (!lostRace(error, key)) throw error;
      if (options.preconditions?.resourceVersion !== undefined || attempt >= maxAttempts)
        throw conflict(kind.groupResource, target.name);
    }
  }
}

function checkPreconditions(
  { resource: { kind }, name }: Target,
  { metadata }: KubeObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== '' && uid !== metadata.uid) {
    throw conflict(
      kind.groupResource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      kind.groupResource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    );
  }
}

/** The object as a deletion leaves it, should something hold it. */
function marked(live: KubeObject, behaviour: Behaviour, options: DeleteOptions, now: Date): KubeObject {
  const next = cloneObject(live);
  const { metadata } = next;
  const finalizers = finalizersFor(metadata.finalizers ?? [], options.propagationPolicy);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const wanted = graceFor(live, behaviour, options);
  if (metadata.deletionTimestamp === undefined) {
    if (metadata.generation !== undefined) metadata.generation++;
    metadata.deletionTimestamp = formatTime(new Date(now.getTime() + wanted * 1000));
    metadata.deletionGracePeriodSeconds = wanted;
  } else if (wanted < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionTimestamp = formatTime(new Date(now.getTime() + wanted * 1000));
    metadata.deletionGracePeriodSeconds = wanted;
  }
  return next;
}

/** Only what has a grace period of its own waits; the request may lengthen or shorten it, once begun only shorten. */
function graceFor(live: KubeObject, behaviour: Behaviour, { gracePeriodSeconds }: DeleteOptions): number {
  const own = behaviour.gracePeriodSeconds?.(live) ?? 0;
  if (own === 0) return 0;
  const wanted = Math.max(0, gracePeriodSeconds ?? own);
  return Math.min(wanted, live.metadata.deletionGracePeriodSeconds ?? wanted);
}

function finalizersFor(present: readonly string[], policy: DeleteOptions['propagationPolicy']): string[] {
  if (policy === undefined) return [...present];
  const others = present.filter(finalizer => finalizer !== foregroundFinalizer && finalizer !== orphanFinalizer);
  switch (policy) {
    case 'Foreground':
      return [...others, foregroundFinalizer];
    case 'Orphan':
      return [...others, orphanFinalizer];
    case 'Background':
      return others;
  }
}
