import type { KubeObject } from '@chandlery/api';
import {
  type Cluster,
  type ClusterRequest,
  clusterRequests,
  clusters,
  tenantNamespace,
} from '@chandlery/clusters/kinds';
import { controlPlanes } from '@chandlery/providers/kinds';
import { sdkNames, sharedKeyOf } from '../model/names.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import { behindInstance, labelledBy } from './label-links.ts';
import { isMesh } from './mesh-objects.ts';
import { namedObjects } from './named-links.ts';
import { ofTenant } from './tenant-links.ts';

/** A snapshot of a landscape, by cluster name. */
export type Landscape = ReadonlyMap<string, ClusterObjects>;

/** An object in its cluster. */
export interface Placed {
  readonly cluster: string;
  readonly object: KubeObject;
}

/** The name by which the platform cluster knows itself. */
export const platformName = 'platform';
export const onboardingName = 'onboarding';

/** The objects that an object caused directly, on any cluster. Pure. */
export function causedBy(placed: Placed, landscape: Landscape): readonly Placed[] {
  const found = [
    ...owned(placed, landscape),
    ...requestsOf(placed, landscape),
    ...clusterOf(placed, landscape),
    ...marked(placed, landscape),
    ...configOf(placed, landscape),
    ...sharedBy(placed, landscape),
    ...labelledBy(placed, landscape),
    ...behindInstance(placed, landscape),
    ...namedObjects(placed, landscape),
    ...ofTenant(placed, landscape, platformName),
    ...inMeshes(placed, landscape),
  ];
  const seen = new Set<KubeObject>();
  return found.filter(({ object }) => !seen.has(object) && seen.add(object));
}

const at = (cluster: string, objects: readonly KubeObject[]): Placed[] => objects.map(object => ({ cluster, object }));

const owned = ({ cluster, object }: Placed, landscape: Landscape): Placed[] =>
  at(cluster, landscape.get(cluster)?.ownedBy(object.metadata.uid ?? '') ?? []);

/** An instance is a service of meshes, and a binding access to it. */
const inMeshes = ({ cluster, object }: Placed, landscape: Landscape): Placed[] =>
  [...landscape]
    .filter(([mesh]) => isMesh(mesh) && mesh !== cluster)
    .flatMap(([mesh, objects]) => at(mesh, objects.ownedBy(object.metadata.uid ?? '')));

/** A control plane causes what is in its namespace on the platform cluster, unless another object there caused it. */
function requestsOf({ cluster, object }: Placed, landscape: Landscape): Placed[] {
  const { namespace = '', name = '' } = object.metadata;
  if (cluster !== onboardingName || object.kind !== controlPlanes.kind) return [];
  const home = tenantNamespace(namespace, name);
  const inside = (landscape.get(platformName)?.inNamespace(home) ?? []).filter(
    ({ metadata }) =>
      metadata.annotations?.[sdkNames.objectAnnotation] === undefined && (metadata.ownerReferences ?? []).length === 0,
  );
  return at(platformName, inside);
}

/** A request causes its cluster, and a cluster of ours the logical cluster that serves it. */
function clusterOf({ cluster, object }: Placed, landscape: Landscape): Placed[] {
  const platform = landscape.get(platformName);
  if (cluster !== platformName || platform === undefined) return [];
  if (object.kind === clusterRequests.kind) {
    const given = (object as ClusterRequest).status?.cluster;
    const found = given && platform.find(clusters.kind, given);
    return found === undefined ? [] : at(platformName, [found]);
  }
  if (object.kind !== clusters.kind) return [];
  const served = platform.find('LogicalCluster', { name: logicalNameOf(object as Cluster) });
  return served === undefined ? [] : at(platformName, [served]);
}

/** The logical cluster that serves a cluster of ours: the last part of its address. */
export function logicalNameOf({ status, metadata }: Cluster): string {
  const [endpoint] = status?.endpoints ?? [];
  return endpoint?.url.split('/clusters/')[1] ?? metadata.name ?? '';
}

/** A service object causes all objects with its annotation, on any cluster. */
function marked({ cluster, object }: Placed, landscape: Landscape): Placed[] {
  const { namespace, name } = object.metadata;
  if (cluster !== onboardingName || namespace === undefined || object.kind === controlPlanes.kind) return [];
  const key = `${namespace}/${name}`;
  return [...landscape].flatMap(([other, objects]) =>
    at(
      other,
      objects.keptFor(key).filter(candidate => isOf(candidate, object)),
    ),
  );
}

/** A service object depends on what its provider shares among all of them, represented by its configuration. */
function configOf({ cluster, object }: Placed, landscape: Landscape): Placed[] {
  const { namespace } = object.metadata;
  if (cluster !== onboardingName || namespace === undefined) return [];
  const [group = ''] = object.apiVersion.split('/');
  const configs = (landscape.get(platformName)?.inNamespace('') ?? []).filter(
    candidate =>
      candidate.apiVersion.startsWith(`${group}/`) &&
      sharedBy({ cluster: platformName, object: candidate }, landscape).length > 0,
  );
  return at(platformName, configs);
}

/** The objects that a provider has once for all, by the name of its configuration. */
function sharedBy({ cluster, object }: Placed, landscape: Landscape): Placed[] {
  const { namespace, name = '' } = object.metadata;
  if (cluster !== platformName || namespace !== undefined) return [];
  const isShared = (candidate: KubeObject): boolean =>
    candidate.metadata.annotations?.[sdkNames.objectAnnotation] === sharedKeyOf(name) && isOf(candidate, object);
  return [...landscape].flatMap(([other, objects]) => at(other, objects.keptFor(sharedKeyOf(name)).filter(isShared)));
}

/**
 * Objects of several kinds may have the same name: the groups of finalizers and the provider's name distinguish them.
 */
function isOf(candidate: KubeObject, object: KubeObject): boolean {
  const manager = candidate.metadata.labels?.[sdkNames.managedByLabel] ?? '';
  const group = object.apiVersion.split('/')[0] ?? '';
  return manager !== '' && group.includes(manager);
}

/**
 * The clusters that an object may have put something on: those of its tenant's requests, and those of providers as a
 * whole. Without an object, all clusters.
 */
export function clustersBehind(root: Placed | undefined, platform: ClusterObjects | undefined): readonly Cluster[] {
  const all = platform?.all ?? [];
  const known = all.filter(({ kind }) => kind === clusters.kind) as Cluster[];
  if (root === undefined) return known;
  const { namespace = '', name = '' } = root.object.metadata;
  const home = tenantNamespace(namespace, name);
  const requests = all.filter(({ kind }) => kind === clusterRequests.kind) as ClusterRequest[];
  const own = requests.filter(({ metadata: at }) => at.namespace === home || !at.namespace?.startsWith('mcp--'));
  const wanted = new Set(own.flatMap(({ status }) => status?.cluster?.name ?? []));
  return known.filter(({ metadata }) => wanted.has(metadata.name ?? ''));
}
