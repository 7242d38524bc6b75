import { apiError, ChandleryError, type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { accessRequests } from '@chandlery/clusters/kinds';
import {
  formerObjectOf,
  type RetainedRequest,
  type RetainedService,
  retainedNames,
  retainedServices,
} from '@chandlery/providers/kinds';
import { ignoreNotFound, isDeleting } from '@chandlery/runtime';
import { type AccessRequirement, retainedAccessPlace } from '../model/access-requirements.ts';
import { fieldManagerOf, instanceIdOf, retainedServiceName, sdkNames, sharedKeyOf } from '../model/names.ts';
import { copiesOf, keptKinds, retainedRequestsOf, retainedServiceFor } from '../model/retention.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { SurveyedObject } from '../objects/managed-objects.ts';
import type { Place } from '../sync/syncer.ts';
import type { ReconcileScope } from './reconcile-scope.ts';
import { requirementsOf } from './steps/obtain-access.ts';

/**
 * Creates the RetainedService that will hold the requests of an object, and prepares the requests for the hand-over.
 * Undefined when the object has no clusters. Idempotent.
 */
export async function retain(
  scope: ReconcileScope,
  found: readonly SurveyedObject[],
): Promise<RetainedService | undefined> {
  const requirements = requirementsOf(scope);
  if (requirements.length === 0) return undefined;
  const known = await findRetained(scope);
  if (known !== undefined && isTakenOver(scope, known)) throw stillGoing(known);
  const retained = known ?? (await createRetained(scope, requirements));
  const clusters = await clustersOf(scope, requirements);
  const { deps, connections, step } = scope;
  for (const [role, requirement] of requirements) {
    const kinds = role === 'workload' ? keptKinds(found, role) : [];
    const copies = copiesOf(found, role, { connections, clusters });
    if (requirement.object !== undefined) {
      await deps.access.prepareHandOver(requirement, { holder: holderOf(retained), kinds, copies }, step.signal);
      continue;
    }
    // The cluster is shared by all services: each retained one has its own access.
    await deps.access.prepareHandOver(
      requirement,
      { holder: sharedKeyOf(deps.provider), kinds: [], copies: [] },
      step.signal,
    );
    await grantOwnAccess(scope, requirement, { holder: holderOf(retained), clusterRef: clusters.get(role), kinds });
  }
  return retained;
}

/** Whether this object took the retained service over, and it is being deleted: then it must not hold anything. */
const isTakenOver = ({ object }: ReconcileScope, retained: RetainedService): boolean =>
  isDeleting(retained) && object.status?.firstReadyTime !== undefined;

/** A conflict, so that it is retried soon and not reported. */
const stillGoing = ({ metadata }: RetainedService): ChandleryError =>
  apiError('Conflict', `RetainedService "${metadata.name}" is still being deleted`);

/** The RetainedService of the object's identity, of this object or of an earlier one. */
export async function findRetained(scope: ReconcileScope): Promise<RetainedService | undefined> {
  const { deps, step, object } = scope;
  const found = await deps.onboarding
    .get<RetainedService>(retainedRef(scope), { signal: step.signal })
    .catch(ignoreNotFound);
  if (found === undefined || found.spec.service.group === deps.definition.api.group) return found;
  throw new ChandleryError(
    'NameTaken',
    `RetainedService "${found.metadata.name}" keeps another service, of the group ${found.spec.service.group}`,
    { hint: `Delete it, or do not let ${object.kind} "${object.metadata.name}" go.` },
  );
}

/** Deletes the RetainedService: the new object has taken over what it held. */
export async function endRetention(scope: ReconcileScope): Promise<boolean> {
  const retained = await findRetained(scope);
  if (retained === undefined) return false;
  const { deps, step, identity } = scope;
  for (const [, requirement] of requirementsOf(scope))
    if (requirement.object !== undefined) await deps.access.keep(requirement, step.signal);
  const own = { ...accessRequests.ref, ...retainedAccessPlace(deps.provider, identity) };
  if (usesSharedCluster(scope)) await deps.platform.delete(own, { signal: step.signal }).catch(ignoreNotFound);
  const { uid } = retained.metadata;
  const preconditions = uid === undefined ? {} : { uid };
  await deps.onboarding.delete(retainedRef(scope), { signal: step.signal, preconditions }).catch(ignoreNotFound);
  return true;
}

const usesSharedCluster = (scope: ReconcileScope): boolean =>
  requirementsOf(scope).some(([, { object }]) => object === undefined);

async function createRetained(
  scope: ReconcileScope,
  requirements: ReturnType<typeof requirementsOf>,
): Promise<RetainedService> {
  const { deps, object, step, identity } = scope;
  const own = requirements.flatMap(([, requirement]) =>
    requirement.object === undefined ? [] : retainedRequestsOf(requirement),
  );
  const shared = requirements.flatMap(([, requirement]) =>
    requirement.object === undefined ? retainedRequestsOf(requirement) : [],
  );
  const ownAccess: readonly RetainedRequest[] =
    shared.length === 0 ? [] : [{ kind: 'AccessRequest', ...retainedAccessPlace(deps.provider, identity) }];
  const retained = retainedServiceFor({
    object,
    group: deps.definition.api.group,
    provider: deps.provider,
    usesControlPlane: deps.definition.clusters?.mcp !== undefined,
    requests: [...own, ...ownAccess],
    sharedRequests: shared,
  });
  const options = { signal: step.signal, fieldManager: fieldManagerOf(deps.provider) };
  return deps.onboarding.create<RetainedService>(retainedRef(scope), retained, options);
}

interface OwnAccess {
  readonly holder: string;
  readonly clusterRef: Place | undefined;
  readonly kinds: ReturnType<typeof keptKinds>;
}

async function grantOwnAccess(
  scope: ReconcileScope,
  requirement: AccessRequirement,
  { holder, clusterRef, kinds }: OwnAccess,
): Promise<void> {
  const { deps, step, identity } = scope;
  if (clusterRef === undefined) return;
  const place = retainedAccessPlace(deps.provider, identity);
  const { namespace, name } = clusterRef;
  const body = accessRequests.object(
    {
      ...place,
      labels: { [retainedNames.handedOverLabel]: 'true', [sdkNames.instanceLabel]: instanceIdOf(identity) },
      annotations: {
        [sdkNames.objectAnnotation]: step.key,
        [retainedNames.retainedByAnnotation]: holder,
        [retainedNames.formerObjectAnnotation]: formerObjectOf(deps.provider, step.key),
        [retainedNames.keptKindsAnnotation]: kinds
          .map(kind => `${kind.plural}.${kind.version}.${kind.group}`)
          .join(','),
      },
    },
    { clusterRef: { namespace, name }, token: requirement.token },
  );
  const options = { fieldManager: fieldManagerOf(deps.provider), signal: step.signal };
  await deps.platform.patch({ ...accessRequests.ref, ...place }, { type: 'apply', body, force: true }, options);
}

async function clustersOf(
  scope: ReconcileScope,
  requirements: ReturnType<typeof requirementsOf>,
): Promise<ReadonlyMap<ClusterRole, Place>> {
  const found = new Map<ClusterRole, Place>();
  for (const [role, requirement] of requirements) {
    const cluster = await scope.deps.access.clusterOf(requirement, scope.step.signal);
    if (cluster !== undefined) found.set(role, cluster);
  }
  return found;
}

const holderOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

const retainedRef = ({ object }: ReconcileScope): ObjectRef => ({
  ...retainedServices.ref,
  namespace: object.metadata.namespace ?? '',
  name: retainedServiceName(object.kind, object.metadata.name ?? ''),
});
