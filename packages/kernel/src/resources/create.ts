import { alreadyExists, apiError, badRequest, fieldCause, invalid, isError, type KubeObject } from '@chandlery/api';
import { Pace } from '@chandlery/platform';
import { trackUpdate } from '../apply/index.ts';
import { type BehaviourContext, behaviourOf } from '../behaviours/behaviour.ts';
import { type Check, formatKey } from '../store/store.ts';
import { commitWrites, lostRace, putOf } from './commit.ts';
import { reportWrite } from './internal-write.ts';
import { checksOfKind, isKindOutdated, refreshTarget, rejectWhileKindIsDeleted } from './kind-check.ts';
import { linkTrace } from './link-trace.ts';
import { ownership } from './ownership.ts';
import { checkIdentity, checkSchema, contextOf, dropUnknownFields, setBirthFields, validating } from './prepare.ts';
import { keyOfTarget, type ResourceDeps, type Target, type WriteOptions } from './request.ts';
import { type Served, serveStored, serveUnsaved } from './served.ts';
import { cloneObject } from './shape.ts';

const maxNameAttempts = 8;
const maxPlaceAttempts = 5;

/** Creates an object. Changes `body`. */
export async function createObject(
  deps: ResourceDeps,
  collection: Target,
  write: WriteOptions,
  body: KubeObject,
): Promise<Served> {
  checkIdentity({ ...collection, name: '' }, body);
  if ((body.metadata.resourceVersion ?? '') !== '')
    throw badRequest('resourceVersion should not be set on objects to be created');
  const pace = new Pace();
  dropUnknownFields(collection, write, body);
  if (pace.isDue) await pace.rest();
  const isNameGiven = (body.metadata.name ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const target = { ...collection, name: chooseName(deps, collection, body) };
    try {
      return await createNamed(deps, target, write, body);
    } catch (error) {
      if (isNameGiven || attempt >= maxNameAttempts || !isError(error, 'AlreadyExists')) throw error;
    }
  }
}

function chooseName(deps: ResourceDeps, { resource: { kind } }: Target, { metadata }: KubeObject): string {
  if (metadata.name !== undefined && metadata.name !== '') return metadata.name;
  const prefix = metadata.generateName ?? '';
  if (prefix === '')
    throw invalid(kind, '', [fieldCause.required('metadata.name', 'name or generateName is required')]);
  return prefix.slice(0, 58) + deps.ids.nameSuffix();
}

/** Creates an object whose name is settled. Used by apply too, which brings managedFields of its own. */
export async function createNamed(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  object: KubeObject,
  options: { readonly isApplied?: boolean } = {},
): Promise<Served> {
  let current = target;
  for (let attempt = 1; ; attempt++) {
    const context = contextOf(deps, current, write);
    const places = await deps.clusters.checksForCreate(current);
    rejectWhileKindIsDeleted(current);
    const pace = new Pace();
    const copy = cloneObject(object);
    if (pace.isDue) await pace.rest();
    const prepared = await prepareCreate(copy, context, options.isApplied ?? false);
    if (write.dryRun) return dryRun(context, prepared);
    try {
      const created = await commitCreate(context, prepared, [...places, ...checksOfKind(current)]);
      reportWrite(deps, current, write, 'create');
      return created;
    } catch (error) {
      if (lostRace(error, keyOfTarget(current))) throw alreadyExists(current.resource.kind.groupResource, target.name);
      const isOutdated = isKindOutdated(error, current);
      if (attempt >= maxPlaceAttempts || (!isOutdated && !isStale(error, places))) throw toConflict(error);
      deps.clusters.forget(current);
      if (!isOutdated) continue;
      current = await refreshTarget(deps, current);
      current.resource.version.prune(object);
    }
  }
}

async function commitCreate(
  context: BehaviourContext,
  object: KubeObject,
  conditions: readonly Check[],
): Promise<Served> {
  const { deps, target } = context;
  const { kind } = target.resource;
  linkTrace(kind, object);
  const put = putOf(deps, kind, keyOfTarget(target), object, { type: 'absent' });
  const { writes = [], checks = [] } =
    (await behaviourOf(deps.behaviours, kind.resource).withCreate?.(object, context)) ?? {};
  const revision = await commitWrites(deps, { writes: [put, ...writes], checks: [...conditions, ...checks] });
  return serveStored(target.resource, deps.codec, { ...put, revision });
}

async function prepareCreate(object: KubeObject, context: BehaviourContext, isApplied: boolean): Promise<KubeObject> {
  const { deps, target, write, now } = context;
  const { kind, version } = target.resource;
  const behaviour = behaviourOf(deps.behaviours, kind.resource);
  const pace = new Pace();
  const { managedFields, ...sent } = object.metadata;
  object.metadata = sent;
  setBirthFields(object, context);
  if (version.hasStatus) delete object.status;
  version.applyDefaults(object);
  if (pace.isDue) await pace.rest();
  if (behaviour.prepareCreate !== undefined) {
    checkSchema(object, undefined, target);
    await behaviour.prepareCreate(object, context);
  }
  if (pace.isDue) await pace.rest();
  await pace.run(validating(object, undefined, context));
  await behaviour.authorize?.(object, undefined, context);
  await deps.admission.beforeWrite?.(object, undefined, context);
  if (isApplied) {
    if (managedFields !== undefined) object.metadata.managedFields = managedFields;
    return object;
  }
  const tracking = trackUpdate({
    live: undefined,
    updated: object,
    manager: write.fieldManager,
    apiVersion: version.apiVersion,
    schema: version.schema,
    now,
    ...ownership(version, ''),
  });
  const tracked = await pace.run(tracking);
  if (pace.isDue) await pace.rest();
  return tracked;
}

async function dryRun({ deps, target }: BehaviourContext, object: KubeObject): Promise<Served> {
  putOf(deps, target.resource.kind, keyOfTarget(target), object, { type: 'absent' });
  const existing = await deps.store.get(keyOfTarget(target));
  if (existing !== undefined) throw alreadyExists(target.resource.kind.groupResource, target.name);
  return serveUnsaved(object);
}

const isStale = (error: unknown, checks: readonly Check[]): boolean =>
  isError(error, 'PreconditionFailed') && checks.some(check => formatKey(check.key) === error.details.name);

/** A failed precondition that another attempt may meet: a lost race. */
function toConflict(error: unknown): unknown {
  if (!isError(error, 'PreconditionFailed')) return error;
  return apiError(
    'Conflict',
    'something that the request depends on changed at the same time; please try again',
    {},
    error,
  );
}
