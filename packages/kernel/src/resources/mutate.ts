import { isDeepStrictEqual } from 'node:util';
import { apiError, conflict, type KubeObject, notFound } from '@chandlery/api';
import { Pace } from '@chandlery/platform';
import { trackUpdate } from '../apply/index.ts';
import { type BehaviourContext, behaviourOf } from '../behaviours/behaviour.ts';
import { formatKey } from '../store/store.ts';
import { commitWrites, deleteOf, lostRace, putOf } from './commit.ts';
import { reportWrite } from './internal-write.ts';
import { checksOfKind, isKindOutdated, refreshTarget } from './kind-check.ts';
import { linkTrace } from './link-trace.ts';
import { type Endpoint, ownership } from './ownership.ts';
import {
  carry,
  checkIdentity,
  checkSchema,
  contextOf,
  dropUnknownFields,
  isSpecChanged,
  keepServerFields,
  validating,
} from './prepare.ts';
import { keyOfTarget, type ResourceDeps, type Target, type WriteOptions } from './request.ts';
import { type Served, serveObject, serveStored } from './served.ts';
import { cloneObject } from './shape.ts';

const maxAttempts = 20;

/** How a mutation gets from the live object to the wanted one. */
export interface Mutation {
  readonly endpoint: Endpoint;
  /**
   * The wanted object. Gets a copy of the live one that it may change. Runs again whenever another writer
   * wrote in between. Yields by the pace where it takes long.
   */
  readonly change: (live: KubeObject, pace: Pace) => KubeObject | Promise<KubeObject>;
  /** True when `change` has taken care of managedFields (server-side apply). Default false. */
  readonly isApplied?: boolean;
}

/**
 * The one way in which an existing object changes: read, change, check, commit on condition that no other writer wrote,
 * and again from the start when one did. A client that named a resourceVersion gets the conflict instead.
 */
export async function mutateObject(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  mutation: Mutation,
): Promise<Served> {
  const outcome = await attemptMutation(contextOf(deps, target, write), mutation);
  if (typeof outcome !== 'string') return outcome;
  // Writers that lost a race queue up; from here on only writers in other processes can win one.
  return deps.contendedWrites.run(formatKey(keyOfTarget(target)), () =>
    retryMutation(contextOf(deps, target, write), mutation, outcome),
  );
}

async function retryMutation(
  { deps, target, write }: BehaviourContext,
  mutation: Mutation,
  firstOutcome: 'lost race' | 'kind outdated',
): Promise<Served> {
  let current = target;
  let outcome: Served | 'lost race' | 'kind outdated' = firstOutcome;
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    if (outcome === 'kind outdated') current = await refreshTarget(deps, current);
    outcome = await attemptMutation(contextOf(deps, current, write), mutation);
    if (typeof outcome !== 'string') return outcome;
  }
  throw conflict(target.resource.kind.groupResource, target.name);
}

/** The result, or why another attempt makes sense: another writer was faster, or has changed the kind. */
async function attemptMutation(
  context: BehaviourContext,
  mutation: Mutation,
): Promise<Served | 'lost race' | 'kind outdated'> {
  const { deps, target, write } = context;
  const key = keyOfTarget(target);
  const { kind } = target.resource;
  const stored = await deps.store.get(key);
  if (stored === undefined) throw notFound(kind.groupResource, target.name);
  const pace = new Pace();
  const live = serveStored(target.resource, deps.codec, stored);
  const copy = serveStored(target.resource, deps.codec, stored).object;
  if (pace.isDue) await pace.rest();
  const wanted = await mutation.change(copy, pace);
  if (pace.isDue) await pace.rest();
  const isPinned = checkVersion(target, wanted, live.object);
  if (pace.isDue) await pace.rest();
  const next = await prepareUpdate(wanted, live.object, context, mutation, pace);
  if (pace.isDue) await pace.rest();
  if (isSameButTimes(next, live.object)) return live;
  if (pace.isDue) await pace.rest();
  if (write.dryRun) return serveObject(next, live.revision);
  if (next.metadata.generation !== live.object.metadata.generation) linkTrace(kind, next);
  try {
    const change = writeOf(context, next, live.revision);
    const revision = await commitWrites(deps, { writes: [change], checks: checksOfKind(target) });
    reportWrite(deps, target, write, 'update');
    return serveStored(target.resource, deps.codec, { ...change, revision });
  } catch (error) {
    if (isKindOutdated(error, target)) return 'kind outdated';
    if (!lostRace(error, key)) throw error;
    if (isPinned) throw conflict(kind.groupResource, target.name);
    return 'lost race';
  }
}

/** When fields were last written is not worth a write: defaults inside what a manager applies whole move it each time. */
function isSameButTimes(next: KubeObject, live: KubeObject): boolean {
  return isDeepStrictEqual(withoutTimes(next), withoutTimes(live));
}

function withoutTimes({ metadata: { managedFields, ...metadata }, ...rest }: KubeObject): object {
  return { ...rest, metadata: { ...metadata, managedFields: managedFields?.map(({ time: _, ...entry }) => entry) } };
}

/** True when the client named the version it changes; throws when that is not the present one. */
function checkVersion({ resource: { kind }, name }: Target, wanted: KubeObject, live: KubeObject): boolean {
  const named = wanted.metadata.resourceVersion ?? '';
  if (named === '' || named === '0') return false;
  if (named !== live.metadata.resourceVersion) throw conflict(kind.groupResource, name);
  return true;
}

async function prepareUpdate(
  wanted: KubeObject,
  live: KubeObject,
  context: BehaviourContext,
  mutation: Mutation,
  pace: Pace,
): Promise<KubeObject> {
  const { target, write, deps, now } = context;
  const { kind, version } = target.resource;
  checkIdentity(target, wanted);
  dropUnknownFields(target, write, wanted);
  if (pace.isDue) await pace.rest();
  keepServerFields(wanted, live, target);
  const next = mergeForEndpoint(mutation.endpoint, wanted, live, target);
  version.applyDefaults(next);
  if (pace.isDue) await pace.rest();
  const behaviour = behaviourOf(deps.behaviours, kind.resource);
  if (deps.behaviours.has(kind.resource)) checkSchema(next, live, target);
  if (mutation.endpoint === 'status') await behaviour.prepareStatus?.(next, live, context);
  else if (mutation.endpoint !== 'finalize') await behaviour.prepareUpdate?.(next, live, context);
  if (pace.isDue) await pace.rest();
  await pace.run(validating(next, live, context));
  if (pace.isDue) await pace.rest();
  if (mutation.endpoint !== 'status') {
    await behaviour.authorize?.(next, live, context);
    await deps.admission.beforeWrite?.(next, live, context);
  }
  if (kind.keepsGeneration && mutation.endpoint !== 'status' && isSpecChanged(next, live, version.hasStatus)) {
    next.metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  if (mutation.isApplied) return next;
  if (pace.isDue) await pace.rest();
  const tracking = trackUpdate({
    live,
    updated: next,
    manager: write.fieldManager,
    apiVersion: version.apiVersion,
    schema: version.schema,
    now,
    ...ownership(version, mutation.endpoint),
  });
  return pace.run(tracking);
}

/** The live object with what the endpoint may change taken from the wanted one. */
function mergeForEndpoint(endpoint: Endpoint, wanted: KubeObject, live: KubeObject, { resource }: Target): KubeObject {
  switch (endpoint) {
    case '':
    case 'scale':
      if (resource.version.hasStatus) carry('status', live, wanted);
      return wanted;
    case 'status':
      return writesMetadataWithStatus(resource) ? withStatusOf(wanted, live) : withFieldOf('status', wanted, live);
    case 'finalize':
      return withFieldOf('spec', wanted, live);
  }
}

/** As in Kubernetes: the status of its own kinds is written with labels and annotations, that of custom kinds without. */
const writesMetadataWithStatus = ({ kind, version }: Target['resource']): boolean =>
  version.declaration.protobuf !== undefined && kind.group !== 'apiextensions.k8s.io';

/** The wanted object with everything but its status and metadata taken from the live one. */
function withStatusOf(wanted: KubeObject, live: KubeObject): KubeObject {
  const { labels, annotations } = wanted.metadata;
  const next = withFieldOf('status', wanted, live);
  const { labels: _, annotations: __, ...metadata } = next.metadata;
  next.metadata = {
    ...metadata,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return next;
}

function withFieldOf(field: 'status' | 'spec', wanted: KubeObject, live: KubeObject): KubeObject {
  const next = cloneObject(live);
  carry(field, wanted, next);
  if (wanted.metadata.managedFields !== undefined) next.metadata.managedFields = wanted.metadata.managedFields;
  return next;
}

/** A terminating object that nothing holds any longer is removed by the update that let it go. */
function writeOf(
  { deps, target }: BehaviourContext,
  next: KubeObject,
  revision: number,
): ReturnType<typeof putOf | typeof deleteOf> {
  const { kind } = target.resource;
  const key = keyOfTarget(target);
  const expect = { type: 'revision', revision } as const;
  const behaviour = behaviourOf(deps.behaviours, kind.resource);
  return isReleased(next, behaviour.isHeld?.(next) ?? false)
    ? deleteOf(deps, kind, key, next, expect)
    : putOf(deps, kind, key, next, expect);
}

/** True when no finalizer or grace period holds a terminating object. */
export function isReleased({ metadata }: KubeObject, isHeld: boolean): boolean {
  if (metadata.deletionTimestamp === undefined || isHeld) return false;
  return (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** PUT. Changes `body`. */
export async function updateObject(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  request: { readonly endpoint: Endpoint; readonly body: KubeObject },
): Promise<Served> {
  const { kind } = target.resource;
  const isVersionNamed = !['', '0'].includes(request.body.metadata.resourceVersion ?? '');
  checkIdentity(target, request.body);
  return mutateObject(deps, target, write, {
    endpoint: request.endpoint,
    change: () => {
      // Asked of objects that exist: for one that does not, the answer is that it is not found.
      if (!isVersionNamed && !(kind.declaration.allowsUnconditionalUpdate ?? false)) throw versionRequired(target);
      return cloneObject(request.body);
    },
  });
}

function versionRequired({ resource: { kind }, name }: Target): Error {
  const field = 'metadata.resourceVersion';
  const message = 'Invalid value: 0x0: must be specified for an update';
  return apiError(
    'Invalid',
    `${kind.plural}${kind.group === '' ? '' : `.${kind.group}`} "${name}" is invalid: ${field}: ${message}`,
    {
      name,
      group: kind.group,
      kind: kind.plural,
      causes: [{ reason: 'FieldValueInvalid', message, field }],
    },
  );
}
