import { type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import {
  accessRequests,
  type Cluster,
  type ClusterProfile,
  clusterNames,
  clusterProfiles,
  clusters,
} from '@chandlery/clusters/kinds';
import { ignoreNotFound } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { type Crd, isHeld, ownKinds, type ServedKind, tenantKinds } from '../../model/operator/own-kinds.ts';
import { maxNamed, type Remaining } from '../../model/operator/remaining.ts';
import { definitions } from './collections.ts';

/** Lists objects of tenants that only this provider can serve and delete. Reads the onboarding cluster, not a cache. */
export async function listTenantObjects(onboarding: Client, provider: Provider): Promise<Remaining[]> {
  const remaining: Remaining[] = [];
  const kinds = tenantKinds(provider, await collect<Crd>(onboarding, definitions));
  for (const kind of kinds) remaining.push(...(await countObjects(onboarding, kind)));
  return remaining;
}

/** Reads the first few objects and the total number. */
async function countObjects(client: Client, { kind, group, version, plural }: ServedKind): Promise<Remaining[]> {
  const { items, metadata } = await client.list({ group, version, plural }, { limit: maxNamed });
  if (items.length === 0) return [];
  // Servers may omit the remaining count; then there is at least one more.
  const others = metadata.remainingItemCount ?? (metadata.continue ? 1 : 0);
  return [{ kind, count: items.length + others, names: items.map(titleOf) }];
}

/**
 * Lists objects of the provider's own kinds on the platform cluster whose finalizers only it can remove. Others, such
 * as its configuration, are deleted with their kind.
 */
export async function listHeldObjects(platform: Client, provider: Provider): Promise<Remaining[]> {
  const remaining: Remaining[] = [];
  for (const kind of ownKinds(await collect<Crd>(platform, definitions), provider.metadata.name ?? '')) {
    const held = (await collect(platform, kind)).filter(object => isHeld(object, kind));
    remaining.push(...remainingOf(kind.kind, held).map(entry => ({ ...entry, isOwn: true })));
  }
  return remaining;
}

/** Begins to delete what {@link listHeldObjects} lists. */
export async function deleteHeldObjects(platform: Client, provider: Provider): Promise<void> {
  for (const kind of ownKinds(await collect<Crd>(platform, definitions), provider.metadata.name ?? '')) {
    const { group, version, plural } = kind;
    for (const object of await collect(platform, kind)) {
      const { name = '', namespace, deletionTimestamp } = object.metadata;
      if (!isHeld(object, kind) || deletionTimestamp !== undefined) continue;
      const ref = { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
      await platform.delete(ref).catch(ignoreNotFound);
    }
  }
}

/** Lists clusters that only this provider can delete, and their AccessRequests. */
export async function listClusters(platform: Client, provider: Provider): Promise<Remaining[]> {
  const { name = '' } = provider.metadata;
  const profiles = await collect<ClusterProfile>(platform, clusterProfiles.ref);
  const own = new Set(
    profiles.filter(({ spec }) => spec.providerRef.name === name).map(({ metadata }) => metadata.name),
  );
  const hasLabel = ({ metadata }: KubeObject): boolean => metadata.labels?.[clusterNames.providerLabel] === name;
  const isOwn = (cluster: Cluster): boolean => own.has(cluster.spec.profile) || hasLabel(cluster);
  return [
    ...remainingOf('Cluster', (await collect<Cluster>(platform, clusters.ref)).filter(isOwn)),
    ...remainingOf('AccessRequest', (await collect(platform, accessRequests.ref)).filter(hasLabel)),
  ];
}

const remainingOf = (kind: string, objects: readonly KubeObject[]): Remaining[] =>
  objects.length === 0 ? [] : [{ kind, count: objects.length, names: objects.map(titleOf) }];

const titleOf = ({ metadata: { name, namespace } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : `${name}`;

const collect = <T extends KubeObject>(client: Client, ref: ResourceRef): Promise<T[]> =>
  Array.fromAsync(client.listAll<T>(ref));
