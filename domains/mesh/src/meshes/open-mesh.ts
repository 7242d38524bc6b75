import { ChandleryError, toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type MemberCluster, ServiceCatalogue } from '../catalogue/service-catalogue.ts';
import { type AnnouncedEndpoints, createAnnouncedEndpoints } from '../endpoints/announced/announced-endpoints.ts';
import { createDnsEndpoints } from '../endpoints/dns/dns-endpoints.ts';
import { createKubernetesEndpoints } from '../endpoints/kubernetes/kubernetes-endpoints.ts';
import { type ClusterMachines, MeshMachines } from '../endpoints/virtual-machines/mesh-machines.ts';
import { startMachineSetController } from '../endpoints/virtual-machines/start-machine-set-controller.ts';
import { createVirtualMachineEndpoints } from '../endpoints/virtual-machines/virtual-machine-endpoints.ts';
import { mayBack } from '../model/endpoints/may-back.ts';
import type { ServiceName } from '../model/service-name.ts';
import type { EndpointsProvider, MeshAuthority } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import { createTopology } from '../topology/create-topology.ts';
import type { ConnectMember, MemberConnection } from './member-connections.ts';
import type { MeshSpec } from './mesh-spec.ts';
import { rejectionOf } from './rejection-of.ts';

/** What a mesh is opened with. */
export interface OpenMeshOptions {
  readonly spec: MeshSpec;
  /** The clients are disposed of by the mesh. */
  readonly connectMember: ConnectMember;
  readonly authority: MeshAuthority;
  readonly compiler: ResourceCompiler;
  readonly logger: Logger;
  /** Gives up reading; a mesh that has been read goes on. */
  readonly signal: AbortSignal;
}

/** A mesh whose caches are full. */
export interface OpenMesh extends AsyncDisposable {
  readonly spec: MeshSpec;
  readonly catalogue: ServiceCatalogue;
  readonly machines: MeshMachines;
}

interface Member extends MemberConnection, MemberCluster {}

/** Connects to all clusters of a mesh and reads everything; resolves when nothing is missing any more. */
export async function openMesh(options: OpenMeshOptions): Promise<OpenMesh> {
  const { spec, authority, compiler, logger, signal } = options;
  const { tenant, clusters, topologyCluster, isPermissive, traffic } = spec;
  await using stack = new AsyncDisposableStack();
  const members = await connectMembers(options, stack);
  const topologyClient = members.find(({ name }) => name === topologyCluster)?.client ?? missing(spec);
  const topology = stack.use(createTopology({ clusters: members, topologyClient, isPermissive, logger }));
  const announced: AnnouncedEndpoints = createAnnouncedEndpoints({
    mayServe: (service, { serviceAccount }) =>
      topology.getService(service) !== undefined && mayBack(endpointsOf(service), serviceAccount),
  });
  const ofMembers = members.map(providersOf);
  const machines = new MeshMachines(
    tenant,
    ofMembers.flatMap(({ machines: own }) => own ?? []),
  );
  const providers = [...ofMembers.flatMap(({ providers: own }) => own), announced];
  const endpointsOf = (service: ServiceName) => providers.flatMap(each => each.listEndpointsForService(service));
  for (const provider of providers) stack.use(provider);
  for (const { client, isOwn } of members) if (isOwn) stack.use(startMachineSetController({ client, logger }));
  const synced = Promise.all([topology.synced, ...providers.map(provider => provider.synced)]);
  await Promise.race([synced, rejectionOf(signal)]);
  const catalogue = stack.use(
    new ServiceCatalogue({ tenant, clusters, topology, providers, announced, authority, compiler, traffic, machines }),
  );
  const owned = stack.move();
  return { spec, catalogue, machines, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function connectMembers(options: OpenMeshOptions, stack: AsyncDisposableStack): Promise<readonly Member[]> {
  const { spec, connectMember, signal } = options;
  const connect = async (cluster: MemberCluster): Promise<Member> => {
    const isTopology = cluster.name === spec.topologyCluster;
    const connection = await connectMember(cluster.name, { isTopology, signal });
    stack.use(connection.client);
    return { ...cluster, ...connection };
  };
  const settled = await Promise.allSettled(spec.clusters.map(connect));
  // Only now: whoever connects later than the first failure is disposed of too.
  return settled.map(result => (result.status === 'fulfilled' ? result.value : rethrow(result.reason)));
}

interface MemberProviders {
  readonly providers: readonly EndpointsProvider[];
  readonly machines?: ClusterMachines;
}

/** Clusters that others serve know nothing of the mesh's own kinds. */
function providersOf({ name, region, client, isOwn }: Member): MemberProviders {
  const member = { client, cluster: name, ...(region !== undefined && { region }) };
  const kubernetes = createKubernetesEndpoints(member);
  const dns = createDnsEndpoints(member);
  if (!isOwn) return { providers: [kubernetes, dns] };
  const machines = createVirtualMachineEndpoints({ client, cluster: name, id: `virtual-machines/${name}` });
  return { providers: [kubernetes, machines, dns], machines: { cluster: name, presence: machines.presence } };
}

function missing({ tenant, topologyCluster }: MeshSpec): never {
  throw new ChandleryError('ClusterNotFound', `"${topologyCluster}" is not a member of mesh "${tenant}"`, {
    hint: 'name one of its clusters as topologyCluster',
  });
}

function rethrow(reason: unknown): never {
  throw toError(reason);
}
