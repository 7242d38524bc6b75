import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type ClusterProfile, clusterProfiles, systemNamespace } from '@chandlery/clusters/kinds';
import { removeFinalizer } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { leftoversOf } from '../../model/operator/leftovers.ts';
import {
  type Crd,
  inUseFinalizer,
  ownDefinitions,
  ownKinds,
  type ServedKind,
  tenantKinds,
} from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import { labelsOf, managedByValue, selectorText } from '../../model/operator/provider-names.ts';
import type { Remaining } from '../../model/operator/remaining.ts';
import { clearObjects, namesOfSelected } from './clear-objects.ts';
import { collections, definitions, rest } from './collections.ts';
import { deleteHeldObjects, listClusters, listHeldObjects, listTenantObjects } from './dependants.ts';
import { handOverRequests, hasRetainedServices } from './hand-over-requests.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorDeps, RemovalDeps } from './operator-deps.ts';

const nameOf = ({ metadata }: Provider): string => metadata.name ?? '';
const ofProvider = (provider: Provider): string =>
  `${providerNames.managedByLabel}=${managedByValue(nameOf(provider))}`;

/** The follower id of a provider for watches. */
export const followerOf = (provider: Provider): string => `${provider.kind}/${nameOf(provider)}`;

interface RemovalOptions extends Pick<OperatorDeps, 'findElder'> {
  readonly enqueue: (provider: Provider) => void;
}

/** Creates the dependencies of the removal steps. Objects with the name of an older namesake are not touched. */
export function createRemovalDeps(
  context: OperatorContext,
  providerClass: ProviderClass,
  { enqueue, findElder }: RemovalOptions,
): RemovalDeps {
  const { platform, onboarding } = context.options;
  const made = (provider: Provider): string => selectorText(labelsOf(providerClass, nameOf(provider)));
  return {
    async listDependants(provider) {
      if (findElder(provider)) return [];
      const ofTenants = await listTenantObjects(onboarding, provider);
      return [
        ...ofTenants,
        ...(ofTenants.length === 0 ? await listLeftovers(context, provider) : []),
        ...(await listHeldObjects(platform, provider)),
        ...(providerClass.prefix === 'cp' ? await listClusters(platform, provider) : []),
      ];
    },
    async endOwnObjects(provider) {
      if (findElder(provider)) return;
      const users = await listTenantObjects(onboarding, provider);
      if (providerClass.prefix === 'cp') users.push(...(await listClusters(platform, provider)));
      if (users.length === 0) await deleteHeldObjects(platform, provider);
    },
    followDependants(provider) {
      const ofTenants = tenantKinds(provider, context.onboardingDefinitions.list());
      const own = ownKinds(context.platformDefinitions.list(), nameOf(provider));
      context.tenantWatches.follow(followerOf(provider), ofTenants, () => enqueue(provider));
      context.platformWatches.follow(followerOf(provider), own, () => enqueue(provider));
    },
    unfollowDependants(provider) {
      context.tenantWatches.unfollow(followerOf(provider));
      context.platformWatches.unfollow(followerOf(provider));
    },
    async removeRun(provider) {
      const left = await removeWorkloads(context, made(provider));
      return left.length === 0 && providerClass.prefix === 'cp' ? removeProfiles(context, provider) : left;
    },
    removeApi: async provider => (findElder(provider) ? [] : removeDefinitions(context, provider)),
    removeRequests: async provider => (findElder(provider) ? [] : removeOwnRequests(context, provider)),
    async removeRest(provider) {
      const left: string[] = [];
      for (const ref of rest) left.push(...(await clearObjects(platform, { ref, labelSelector: made(provider) })));
      if (findElder(provider)) return left;
      left.push(...(await clearObjects(platform, { ref: collections.leases, labelSelector: ofProvider(provider) })));
      return left;
    },
  };
}

async function removeWorkloads({ options: { platform } }: OperatorContext, labelSelector: string): Promise<string[]> {
  const left: string[] = [];
  for (const ref of [collections.deployments, collections.jobs]) {
    left.push(...(await clearObjects(platform, { ref, labelSelector })));
  }
  return [...left, ...(await namesOfSelected(platform, { ref: collections.pods, labelSelector }))];
}

/** Deletes the profiles, so that nothing is scheduled to a cluster provider that does not run. */
function removeProfiles({ options: { platform } }: OperatorContext, provider: Provider): Promise<string[]> {
  const isMeant = ({ spec }: ClusterProfile): boolean => spec.providerRef.name === nameOf(provider);
  return clearObjects(platform, { ref: clusterProfiles.ref, isMeant });
}

async function removeDefinitions({ options }: OperatorContext, provider: Provider): Promise<string[]> {
  const isMeant = (definition: Crd): boolean => ownDefinitions([definition], nameOf(provider)).length > 0;
  const own = { ref: definitions, labelSelector: ofProvider(provider), isMeant };
  const { items } = await options.platform.list<Crd>(definitions, { labelSelector: own.labelSelector });
  for (const kind of ownKinds(items, nameOf(provider))) await releaseUnused(options.platform, kind);
  return [...(await clearObjects(options.onboarding, own)), ...(await clearObjects(options.platform, own))];
}

/** Removes the in-use finalizer, which a provider that was killed may have left on its configuration. */
async function releaseUnused(platform: Client, kind: ServedKind): Promise<void> {
  const ref = { group: kind.group, version: kind.version, plural: kind.plural };
  for await (const object of platform.listAll(ref)) {
    if (!removeFinalizer(object, inUseFinalizer(kind))) continue;
    const { name = '', namespace, finalizers = [], resourceVersion } = object.metadata;
    const at = { ...ref, name, ...(namespace && { namespace }) };
    await platform.patch(at, { type: 'merge', body: { metadata: { finalizers, resourceVersion } } });
  }
}

/** Lists the requests of deleted service objects: only the running provider can remove what they refer to. */
async function listLeftovers(context: OperatorContext, provider: Provider): Promise<Remaining[]> {
  const left: Remaining[] = [];
  for (const { ref } of context.requests) {
    const all = context.options.platform.listAll(ref, { labelSelector: ofProvider(provider) });
    left.push(...leftoversOf(await Array.fromAsync(all)));
  }
  return left;
}

/**
 * Requests of the provider: in namespaces of control planes those for service objects, in the system namespace all with
 * its label.
 */
const isOwnRequest = ({ metadata }: KubeObject): boolean =>
  metadata.namespace === systemNamespace || metadata.labels?.[providerNames.instanceLabel] !== undefined;

/** Deletes AccessRequests first: they refer to the clusters of the other requests. */
async function removeOwnRequests(context: OperatorContext, provider: Provider): Promise<string[]> {
  const { platform, onboarding } = context.options;
  const labelSelector = ofProvider(provider);
  const hasRetained = await hasRetainedServices(onboarding, nameOf(provider));
  for (const { ref } of context.requests) {
    if (hasRetained) await handOverRequests(platform, { ref, labelSelector });
    const left = await clearObjects(platform, { ref, labelSelector, isMeant: isOwnRequest });
    if (left.length > 0) return left;
  }
  return [];
}
