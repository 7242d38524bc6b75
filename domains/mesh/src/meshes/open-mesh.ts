import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { ServiceCatalogue } from '../catalogue/service-catalogue.ts';
import { createAnnouncedEndpoints } from '../endpoints/announced/announced-endpoints.ts';
import { createDnsEndpoints } from '../endpoints/dns/dns-endpoints.ts';
import { createKubernetesEndpoints } from '../endpoints/kubernetes/kubernetes-endpoints.ts';
import { startMachineSetController } from '../endpoints/virtual-machines/start-machine-set-controller.ts';
import { createVirtualMachineEndpoints } from '../endpoints/virtual-machines/virtual-machine-endpoints.ts';
import type { EndpointsProvider, MeshAuthority } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import { createTopology } from '../topology/create-topology.ts';
import type { MeshSpec } from './mesh-spec.ts';

/** What a mesh is opened with. */
export interface OpenMeshOptions {
  readonly spec: MeshSpec;
  /** Connects to a cluster of the landscape by name. The client is disposed of by the mesh. */
  readonly connectCluster: (name: string) => Promise<Client>;
  readonly authority: MeshAuthority;
  readonly compiler: ResourceCompiler;
  readonly logger: Logger;
}

/** A mesh whose caches are full. */
export interface OpenMesh extends AsyncDisposable {
  readonly spec: MeshSpec;
  readonly catalogue: ServiceCatalogue;
}

/** Connects to all clusters of a mesh and reads everything; resolves when nothing is missing any more. */
export async function openMesh(options: OpenMeshOptions): Promise<OpenMesh> {
  const { spec, connectCluster, authority, compiler, logger } = options;
  await using stack = new AsyncDisposableStack();
  const connect = async (name: string): Promise<Client> => stack.use(await connectCluster(name));
  const members = await Promise.all(
    spec.clusters.map(async cluster => ({ ...cluster, client: await connect(cluster.name) })),
  );
  const topologyClient =
    members.find(({ name }) => name === spec.topologyCluster)?.client ?? (await connect(spec.topologyCluster));
  const topology = stack.use(
    createTopology({ clusters: members, topologyClient, isPermissive: spec.isPermissive, logger }),
  );
  const providers: EndpointsProvider[] = [
    ...members.map(member => createKubernetesEndpoints({ ...member, cluster: member.name })),
    ...members.map(({ name, client }) => createVirtualMachineEndpoints({ client, id: `virtual-machines/${name}` })),
    ...members.map(member => createDnsEndpoints({ ...member, cluster: member.name })),
    createAnnouncedEndpoints({ mayServe: service => topology.getService(service) !== undefined }),
  ];
  for (const provider of providers) stack.use(provider);
  for (const { client } of members) stack.use(startMachineSetController({ client, logger }));
  await Promise.all([topology.synced, ...providers.map(({ synced }) => synced)]);
  const { tenant, clusters } = spec;
  const catalogue = stack.use(new ServiceCatalogue({ tenant, clusters, topology, providers, authority, compiler }));
  const owned = stack.move();
  return { spec, catalogue, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
