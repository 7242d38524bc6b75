import type { Client } from '@chandlery/client';
import { createInformer, type Informer, isSameJson } from '@chandlery/runtime';
import { type Mesh, meshes } from '../kinds/mesh.ts';
import { defaultMeshTraffic } from '../model/traffic-settings.ts';
import type { Unsubscribe } from '../ports.ts';
import { defaultInstances, type MeshSpec, meshOfOneCluster } from './mesh-spec.ts';

export interface MeshDirectoryOptions {
  /** Client of the platform cluster. */
  readonly platform: Client;
  /** Whether the landscape serves a logical cluster of that name. */
  readonly isLogicalCluster: (name: string) => Promise<boolean>;
}

/** Lists the meshes: the declared ones, and one for each logical cluster that no Mesh names. */
export interface MeshDirectory extends AsyncDisposable {
  readonly synced: Promise<void>;
  find(tenant: string): Promise<MeshSpec | undefined>;
  /** Returns the name of the mesh that a cluster belongs to. */
  tenantOf(cluster: string): Promise<string | undefined>;
  /** Names of the declared meshes. */
  list(): readonly string[];
  /** Calls the listener with the name of each mesh that was changed or deleted. */
  subscribe(listener: (tenant: string) => void): Unsubscribe;
}

export function createMeshDirectory({ platform, isLogicalCluster }: MeshDirectoryOptions): MeshDirectory {
  const informer: Informer<Mesh> = createInformer<Mesh>({
    client: platform,
    ref: meshes.ref,
    indexes: { cluster: ({ spec }) => spec.clusters.map(({ name }) => name) },
  });
  informer.start();
  const memberOf = (cluster: string): Mesh | undefined => informer.byIndex('cluster', cluster)[0];
  /** False when a Mesh of that name has other clusters. */
  const isOwnMesh = async (cluster: string): Promise<boolean> =>
    memberOf(cluster) === undefined &&
    informer.get(undefined, cluster) === undefined &&
    (await isLogicalCluster(cluster));
  return {
    synced: informer.synced,
    find: async tenant => {
      await informer.synced;
      const declared = informer.get(undefined, tenant);
      if (declared !== undefined) return specOf(declared);
      return (await isOwnMesh(tenant)) ? meshOfOneCluster(tenant) : undefined;
    },
    tenantOf: async cluster => {
      await informer.synced;
      const declared = memberOf(cluster);
      if (declared !== undefined) return declared.metadata.name;
      return (await isOwnMesh(cluster)) ? cluster : undefined;
    },
    list: () => informer.list().map(({ metadata }) => metadata.name ?? ''),
    subscribe: listener =>
      informer.listen({
        added: (mesh, { isFromList }) => {
          if (isFromList) return;
          for (const tenant of namesTouchedBy(mesh)) listener(tenant);
        },
        updated: (mesh, previous) => {
          if (isSameJson(mesh.spec, previous.spec)) return;
          for (const tenant of new Set([...namesTouchedBy(mesh), ...namesTouchedBy(previous)])) listener(tenant);
        },
        deleted: mesh => {
          for (const tenant of namesTouchedBy(mesh)) listener(tenant);
        },
      }),
    [Symbol.asyncDispose]: async () => informer[Symbol.asyncDispose](),
  };
}

/** The mesh itself, and the implicit meshes of its members, which it replaces or gives back. */
const namesTouchedBy = ({ metadata, spec }: Mesh): string[] => [
  metadata.name ?? '',
  ...spec.clusters.map(({ name }) => name),
];

function specOf({ metadata, spec }: Mesh): MeshSpec {
  return {
    tenant: metadata.name ?? '',
    clusters: spec.clusters,
    topologyCluster: spec.topologyCluster ?? spec.clusters[0]?.name ?? '',
    isPermissive: spec.isPermissive ?? false,
    instances: spec.instances ?? defaultInstances(spec.clusters),
    traffic: { egress: spec.egress ?? defaultMeshTraffic.egress, mtls: spec.mtls ?? defaultMeshTraffic.mtls },
  };
}
