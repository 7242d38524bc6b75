import { ChandleryError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Logger, rejectionOf } from '@chandlery/platform';
import { type MemberCluster, ServiceCatalog } from '../catalog/service-catalog.ts';
import { startEndpointSetController } from '../controllers/endpoint-sets/start-endpoint-set-controller.ts';
import { startMachineSetController } from '../controllers/machine-sets/start-machine-set-controller.ts';
import { defaultEndpointsProviders } from '../endpoints/default-providers.ts';
import { createServiceDirectory } from '../endpoints/directory/create-service-directory.ts';
import { openProviders } from '../endpoints/open-providers.ts';
import { MeshMachines } from '../endpoints/virtual-machines/mesh-machines.ts';
import type { InstanceRecords } from '../instances/instance-records.ts';
import { type SelectedInstances, selectInstances } from '../instances/select-instances.ts';
import type { ConnectMember, MemberConnection } from '../members/member-connections.ts';
import type { EndpointsProviderFactory } from '../ports/endpoints.ts';
import { noInstances } from '../ports/mesh-instances.ts';
import { noGrants } from '../ports/mesh-topology.ts';
import type { MeshAuthority } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import { createTopology } from '../topology/create-topology.ts';
import type { MeshSpec } from './mesh-spec.ts';

/** Dependencies and options of {@link openMesh}. */
export interface OpenMeshOptions {
  readonly spec: MeshSpec;
  /** Connects to member clusters. The mesh disposes of the clients. */
  readonly connectMember: ConnectMember;
  readonly authority: MeshAuthority;
  readonly compiler: ResourceCompiler;
  /** Factories of endpoints providers, by descending priority. Default {@link defaultEndpointsProviders}. */
  readonly endpointsProviders?: readonly EndpointsProviderFactory[];
  /** Starts to read the CloudAccounts of a cluster that the landscape serves. Default: they are not read. */
  readonly readClouds?: (cluster: string, client: Client) => AsyncDisposable;
  /** Returns the records of service instances. Called for meshes that have any. Default: there are none. */
  readonly instanceRecords?: () => InstanceRecords;
  readonly logger: Logger;
  /** Aborts the initial read; an open mesh is not affected. */
  readonly signal: AbortSignal;
}

/** A mesh whose caches are synced. */
export interface OpenMesh extends AsyncDisposable {
  readonly spec: MeshSpec;
  readonly catalog: ServiceCatalog;
  readonly machines: MeshMachines;
}

interface Member extends MemberConnection, MemberCluster {}

/** Connects to all clusters of a mesh and reads their objects; resolves when all caches are synced. */
export async function openMesh(options: OpenMeshOptions): Promise<OpenMesh> {
  const { spec, authority, compiler, endpointsProviders = defaultEndpointsProviders, logger, signal } = options;
  const { tenant, clusters, topologyCluster, isPermissive, traffic } = spec;
  await using stack = new AsyncDisposableStack();
  const members = await connectMembers(options, stack);
  const topologyClient = members.find(({ name }) => name === topologyCluster)?.client ?? missing(spec);
  const { instances, grants } = instancesOf(options);
  const topology = stack.use(createTopology({ topologyClient, isPermissive, grants, logger }));
  const services = stack.use(createServiceDirectory({ clusters: members, instances, logger }));
  const deps = { mesh: tenant, members, services, instances, logger };
  const opened = stack.use(await openProviders(endpointsProviders, deps));
  const { providers, announced } = opened;
  const machines = new MeshMachines(tenant, opened.machines);
  for (const member of members) if (member.isOwn) startControllers(member, options, stack);
  const synced = Promise.all([topology, services, ...providers].map(source => source.synced));
  await Promise.race([synced, rejectionOf(signal)]);
  const sources = { topology, services, providers, machines, ...(announced && { announced }) };
  const catalog = stack.use(new ServiceCatalog({ tenant, clusters, ...sources, authority, compiler, traffic }));
  const owned = stack.move();
  return { spec, catalog, machines, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function startControllers(
  { name, client }: Member,
  { readClouds, logger }: OpenMeshOptions,
  stack: AsyncDisposableStack,
): void {
  stack.use(startMachineSetController({ client, logger }));
  stack.use(startEndpointSetController({ client, logger }));
  if (readClouds) stack.use(readClouds(name, client));
}

function instancesOf({ spec, instanceRecords }: OpenMeshOptions): SelectedInstances {
  const { instances, clusters } = spec;
  if (instances.length === 0 || instanceRecords === undefined) return { instances: noInstances, grants: noGrants };
  return selectInstances(instanceRecords(), { instances, clusters: clusters.map(({ name }) => name) });
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
  // Settles all of them first, so that clients that connect after the first failure are disposed of too.
  return settled.map(result => (result.status === 'fulfilled' ? result.value : rethrow(result.reason)));
}

function missing({ tenant, topologyCluster }: MeshSpec): never {
  throw new ChandleryError('ClusterNotFound', `"${topologyCluster}" is not a member of mesh "${tenant}"`, {
    hint: 'name one of its clusters as topologyCluster',
  });
}

function rethrow(reason: unknown): never {
  throw toError(reason);
}
