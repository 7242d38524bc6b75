import { badRequest, conflict, isError, type KubeObject, notFound } from '@chandlery/api';
import { Pace } from '@chandlery/platform';
import { type Applied, applyServerSide } from '../apply/index.ts';
import { createNamed } from './create.ts';
import { mutateObject } from './mutate.ts';
import { type Endpoint, ownership } from './ownership.ts';
import { checkIdentity, contextOf, dropUnknownFields } from './prepare.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';
import type { Served } from './served.ts';
import { cloneObject } from './shape.ts';

export interface ApplyRequest {
  readonly endpoint: Endpoint;
  readonly applied: KubeObject;
  /** Takes fields from other managers. */
  readonly force: boolean;
}

/** Server-side apply: creates the object or merges into it what the manager says, and remembers who said what. */
export async function applyObject(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  request: ApplyRequest,
): Promise<{ readonly served: Served; readonly isCreated: boolean }> {
  checkApplied(target, request.applied);
  dropUnknownFields(target, write, request.applied);
  const quiet = { ...write, decodingProblems: [] };
  for (let attempt = 1; ; attempt++) {
    try {
      return { served: await mergeApplied(deps, target, quiet, request), isCreated: false };
    } catch (error) {
      if (!isMissing(error, target)) throw error;
    }
    if (request.endpoint !== '') throw notFound(target.resource.kind.groupResource, target.name);
    rejectRecreation(target, request.applied);
    try {
      return { served: await createApplied(deps, target, quiet, request), isCreated: true };
    } catch (error) {
      if (!isError(error, 'AlreadyExists') || attempt > 5) throw error;
    }
  }
}

function checkApplied(target: Target, applied: KubeObject): void {
  checkIdentity(target, applied);
  if ((applied.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil');
  if (applied.metadata.name === undefined) applied.metadata.name = target.name;
}

/** Who names a version or a uid means an object that they have seen, not a new one. */
function rejectRecreation({ name, resource: { kind } }: Target, { metadata }: KubeObject): void {
  if ((metadata.resourceVersion ?? '') !== '') throw conflict(kind.groupResource, name);
  if ((metadata.uid ?? '') === '') return;
  const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  throw conflict(kind.groupResource, name, why);
}

const isMissing = (error: unknown, { name, resource: { kind } }: Target): boolean =>
  isError(error, 'NotFound') && error.details.name === name && error.details.kind === kind.plural;

function mergeApplied(deps: ResourceDeps, target: Target, write: WriteOptions, request: ApplyRequest): Promise<Served> {
  return mutateObject(deps, target, write, {
    endpoint: request.endpoint,
    isApplied: true,
    change: async (live, pace) => {
      const merged = await merge(deps, target, write, request, live, pace);
      const named = request.applied.metadata.resourceVersion;
      if (named === undefined) delete merged.metadata.resourceVersion;
      else merged.metadata.resourceVersion = named;
      // A uid is never merged, so that of the live object is there; another one must be noticed.
      if ((request.applied.metadata.uid ?? '') !== '') merged.metadata.uid = request.applied.metadata.uid;
      return merged;
    },
  });
}

async function createApplied(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  request: ApplyRequest,
): Promise<Served> {
  const merged = await merge(deps, target, write, request, undefined, new Pace());
  return createNamed(deps, target, write, merged, { isApplied: true });
}

async function merge(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  request: ApplyRequest,
  live: KubeObject | undefined,
  pace: Pace,
): Promise<KubeObject> {
  const { version } = target.resource;
  const applied = cloneObject(request.applied);
  if (pace.isDue) await pace.rest();
  const applying = applyServerSide({
    live,
    applied,
    manager: write.fieldManager,
    force: request.force,
    apiVersion: version.apiVersion,
    schema: version.schema,
    now: contextOf(deps, target, write).now,
    ...ownership(version, request.endpoint),
  });
  return (await pace.run<Applied>(applying)).object;
}
