import { apiError, ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { accessRequests } from '@chandlery/clusters/kinds';
import {
  formerObjectOf,
  type RetainedRequest,
  type RetainedService,
  retainedNames,
  retainedServices,
} from '@chandlery/providers/kinds';
import { isDeleting } from '@chandlery/runtime';
import { type AccessWish, retainedAccessPlace } from '../model/access-wishes.ts';
import { fieldManagerOf, instanceIdOf, retainedServiceName, sdkNames, sharedKeyOf } from '../model/names.ts';
import { copiesOf, keptKinds, requestsOfWish, retainedServiceFor } from '../model/retention.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { SurveyedObject } from '../objects/managed-objects.ts';
import type { Place } from '../sync/syncer.ts';
import type { Pass } from './pass.ts';
import { wishesOf } from './stages/obtain-access.ts';

/**
 * Makes the RetainedService that will hold the requests of an object, and prepares them for it. Undefined when the object
 * has no clusters, so that nothing has to be held. May be called again: what is there already stays.
 */
export async function retain(pass: Pass, found: readonly SurveyedObject[]): Promise<RetainedService | undefined> {
  const wishes = wishesOf(pass);
  if (wishes.length === 0) return undefined;
  const known = await findRetained(pass);
  if (known !== undefined && isTakenOver(pass, known)) throw stillGoing(known);
  const retained = known ?? (await createRetained(pass, wishes));
  const clusters = await clustersOf(pass, wishes);
  const { needs, connections, step } = pass;
  for (const [role, wish] of wishes) {
    const kinds = role === 'workload' ? keptKinds(found, role) : [];
    const copies = copiesOf(found, role, { connections, clusters });
    if (wish.object !== undefined) {
      await needs.access.prepareHandOver(wish, { holder: holderOf(retained), kinds, copies }, step.signal);
      continue;
    }
    // The cluster is all services': each retained one has access of its own.
    await needs.access.prepareHandOver(
      wish,
      { holder: sharedKeyOf(needs.provider), kinds: [], copies: [] },
      step.signal,
    );
    await grantOwnAccess(pass, wish, { holder: holderOf(retained), clusterRef: clusters.get(role), kinds });
  }
  return retained;
}

/** Whether it is the one that this object took over, on its way out: it must not hold anything any more. */
const isTakenOver = ({ object }: Pass, retained: RetainedService): boolean =>
  isDeleting(retained) && object.status?.firstReadyTime !== undefined;

/** Tried again soon, without alarm. */
const stillGoing = ({ metadata }: RetainedService): ChandleryError =>
  apiError('Conflict', `RetainedService "${metadata.name}" is still being deleted`);

/** The RetainedService of the object's identity, left by itself or by an earlier one. */
export async function findRetained(pass: Pass): Promise<RetainedService | undefined> {
  const { needs, step, object } = pass;
  const found = await needs.onboarding
    .get<RetainedService>(retainedRef(pass), { signal: step.signal })
    .catch(ignoreNotFound);
  if (found === undefined || found.spec.service.group === needs.definition.api.group) return found;
  throw new ChandleryError(
    'NameTaken',
    `RetainedService "${found.metadata.name}" keeps another service, of the group ${found.spec.service.group}`,
    { hint: `Delete it, or do not let ${object.kind} "${object.metadata.name}" go.` },
  );
}

/** A new object stands on what an earlier one had let go: nobody else has to hold it any more. */
export async function endRetention(pass: Pass): Promise<boolean> {
  const retained = await findRetained(pass);
  if (retained === undefined) return false;
  const { needs, step, identity } = pass;
  for (const [, wish] of wishesOf(pass)) if (wish.object !== undefined) await needs.access.keep(wish, step.signal);
  const own = { ...accessRequests.ref, ...retainedAccessPlace(needs.provider, identity) };
  if (usesSharedCluster(pass)) await needs.platform.delete(own, { signal: step.signal }).catch(ignoreNotFound);
  const { uid } = retained.metadata;
  const preconditions = uid === undefined ? {} : { uid };
  await needs.onboarding.delete(retainedRef(pass), { signal: step.signal, preconditions }).catch(ignoreNotFound);
  return true;
}

const usesSharedCluster = (pass: Pass): boolean => wishesOf(pass).some(([, { object }]) => object === undefined);

async function createRetained(pass: Pass, wishes: ReturnType<typeof wishesOf>): Promise<RetainedService> {
  const { needs, object, step, identity } = pass;
  const own = wishes.flatMap(([, wish]) => (wish.object === undefined ? [] : requestsOfWish(wish)));
  const shared = wishes.flatMap(([, wish]) => (wish.object === undefined ? requestsOfWish(wish) : []));
  const ownAccess: readonly RetainedRequest[] =
    shared.length === 0 ? [] : [{ kind: 'AccessRequest', ...retainedAccessPlace(needs.provider, identity) }];
  const retained = retainedServiceFor({
    object,
    group: needs.definition.api.group,
    provider: needs.provider,
    usesControlPlane: needs.definition.clusters?.mcp !== undefined,
    requests: [...own, ...ownAccess],
    sharedRequests: shared,
  });
  const options = { signal: step.signal, fieldManager: fieldManagerOf(needs.provider) };
  return needs.onboarding.create<RetainedService>(retainedRef(pass), retained, options);
}

interface OwnAccess {
  readonly holder: string;
  readonly clusterRef: Place | undefined;
  readonly kinds: ReturnType<typeof keptKinds>;
}

async function grantOwnAccess(pass: Pass, wish: AccessWish, { holder, clusterRef, kinds }: OwnAccess): Promise<void> {
  const { needs, step, identity } = pass;
  if (clusterRef === undefined) return;
  const place = retainedAccessPlace(needs.provider, identity);
  const { namespace, name } = clusterRef;
  const body = accessRequests.object(
    {
      ...place,
      labels: { [retainedNames.handedOverLabel]: 'true', [sdkNames.instanceLabel]: instanceIdOf(identity) },
      annotations: {
        [sdkNames.objectAnnotation]: step.key,
        [retainedNames.retainedByAnnotation]: holder,
        [retainedNames.formerObjectAnnotation]: formerObjectOf(needs.provider, step.key),
        [retainedNames.keptKindsAnnotation]: kinds
          .map(kind => `${kind.plural}.${kind.version}.${kind.group}`)
          .join(','),
      },
    },
    { clusterRef: { namespace, name }, token: wish.token },
  );
  const options = { fieldManager: fieldManagerOf(needs.provider), signal: step.signal };
  await needs.platform.patch({ ...accessRequests.ref, ...place }, { type: 'apply', body, force: true }, options);
}

async function clustersOf(pass: Pass, wishes: ReturnType<typeof wishesOf>): Promise<ReadonlyMap<ClusterRole, Place>> {
  const found = new Map<ClusterRole, Place>();
  for (const [role, wish] of wishes) {
    const cluster = await pass.needs.access.clusterOf(wish, pass.step.signal);
    if (cluster !== undefined) found.set(role, cluster);
  }
  return found;
}

const holderOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

const retainedRef = ({ object }: Pass): ObjectRef => ({
  ...retainedServices.ref,
  namespace: object.metadata.namespace ?? '',
  name: retainedServiceName(object.kind, object.metadata.name ?? ''),
});

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
