import type { Client } from '@chandlery/client';
import type { HttpHost } from '@chandlery/http';
import { type Logger, type MetricsRegistry, systemClock } from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import { createAuthority } from './certificates/create-authority.ts';
import { electCloudReader } from './controllers/cloud-accounts/elect-cloud-reader.ts';
import { startMemberAccessController } from './controllers/member-access/start-member-access-controller.ts';
import { startMeshController } from './controllers/meshes/start-mesh-controller.ts';
import { startRootController } from './controllers/roots/start-root-controller.ts';
import { deleteStoredKeys } from './controllers/stored-keys/delete-stored-keys.ts';
import { createMeshDirectory } from './directory/mesh-directory.ts';
import { MeshRegistry, type MeshRegistryOptions } from './directory/mesh-registry.ts';
import { type CloudSettings, isAllowed, readCloudSettings } from './endpoints/clouds/cloud-settings.ts';
import { createClouds } from './endpoints/clouds/default-clouds.ts';
import type { Authorizer } from './facade/authorizer.ts';
import { addCertificateRoute } from './facade/certificate-route.ts';
import { addInstanceRoute } from './facade/instance-route.ts';
import { addJoinRoute, type JoinRouteOptions } from './facade/join-route.ts';
import type { ProxySources } from './facade/list-proxies.ts';
import { addMeshRoutes } from './facade/mesh-routes.ts';
import { addMetricsRoutes } from './facade/metrics-routes.ts';
import { showStream } from './facade/show-proxy.ts';
import { addTrustRoute } from './facade/trust-route.ts';
import { InstanceRecords } from './instances/instance-records.ts';
import { createDocumentVerifier } from './joins/identity-documents.ts';
import type { ReplicaStream } from './kinds/rest-documents.ts';
import type { ConnectMember, HasAccount } from './members/member-connections.ts';
import { createCloudMetrics } from './metrics.ts';
import type { EndpointsProviderFactory } from './ports/endpoints.ts';
import type { Proxy } from './ports.ts';
import { ReplicaInquiries } from './replicas/replica-inquiries.ts';
import { ReplicaMachines } from './replicas/replica-machines.ts';
import { acknowledgementsOf, openReplicaReport } from './replicas/replica-report.ts';
import { replicaStateOf } from './replicas/replica-state.ts';
import { createResourceCompiler } from './resources/create-resource-compiler.ts';
import { loadEnvoyProtos } from './resources/proto/load-envoy-protos.ts';
import { createLoadAggregate } from './server/load-and-status/load-aggregate.ts';
import { openXdsServer, type XdsServer } from './server/xds-server.ts';
import { createDiscoveryStreams, type DiscoveryStreams } from './xds/discovery-streams.ts';

/**
 * Timeout of a rotation step. Clients are asked to reconnect within seconds of a new root, a limited number in each
 * second.
 */
const maxStepMs = 15 * 60_000;

const joinTimeoutMs = 10_000;

/** Dependencies and options of the control plane. */
export interface MeshControlPlaneOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Client of the cluster with service instances and bindings. Not disposed of. Default: instances are no services. */
  readonly onboarding?: Client;
  readonly connectMember: ConnectMember;
  readonly hasAccount: HasAccount;
  /** Whether the landscape serves a logical cluster of that name. */
  readonly isLogicalCluster: (name: string) => Promise<boolean>;
  /**
   * Factories of endpoints providers, by descending priority: of two providers that know the same address, the first
   * describes it. Default {@link defaultEndpointsProviders}.
   */
  readonly endpointsProviders?: readonly EndpointsProviderFactory[];
  /** Settings of clouds. Default: no credentials of the server, and the addresses of the clouds. */
  readonly clouds?: CloudSettings;
  /** Host of the REST routes; it is not listening yet. */
  readonly host: HttpHost;
  readonly authorize: Authorizer;
  /** Address and certificate names of the port for proxies. */
  readonly xds: { readonly host: string; readonly port: number; readonly names: readonly string[] };
  /** Unique name of this process. */
  readonly replica: string;
  readonly metrics: MetricsRegistry;
  readonly logger: Logger;
}

/**
 * The control plane of the mesh in this process. It serves proxies at once; its controllers run only where they are
 * started.
 */
export interface MeshControlPlane extends AsyncDisposable {
  /** Port for proxies. */
  readonly port: number;
  /** Starts the controllers of roots, member access and mesh status. Only one replica at a time runs them. */
  startControllers(metrics: ControllerMetrics): AsyncDisposable;
}

/** Opens the port for proxies and adds the REST routes. A mesh is read when a proxy or a request first needs it. */
export async function openMeshControlPlane(options: MeshControlPlaneOptions): Promise<MeshControlPlane> {
  const { platform, host, authorize, hasAccount, xds, metrics, logger } = options;
  await using stack = new AsyncDisposableStack();
  const onError = (error: Error): void =>
    logger.warn('mesh certificate authority failed, will be retried', { error: error.message });
  const authority = stack.use(await createAuthority({ client: platform, onError }));
  const directory = stack.use(createMeshDirectory(options));
  const loadCompiler = async () => createResourceCompiler(await loadEnvoyProtos());
  const others = stack.use(
    new ReplicaMachines({
      platform,
      replica: options.replica,
      onReport: (replica, report) => {
        for (const mesh of registry.open) mesh.machines.setOther(replica, report);
      },
    }),
  );
  const otherMachines = () => others.reports();
  const readClouds = cloudReader(options);
  const instances = openInstances(options, stack);
  const sources = { directory, authority, loadCompiler, otherMachines, readClouds };
  const registry = stack.use(new MeshRegistry({ ...options, ...instances, ...sources }));
  const streams = stack.use(createDiscoveryStreams({ metrics }));
  const loadReports = createLoadAggregate({ clock: systemClock });
  const server = stack.use(await openXdsServer({ ...xds, registry, authority, streams, loadReports, metrics, logger }));
  const accounts = { authority, tenantOf: (cluster: string) => directory.tenantOf(cluster), authorize, hasAccount };
  addCertificateRoute(host, accounts);
  addTrustRoute(host, { ...accounts, xdsPort: server.port });
  const catalogOf = (tenant: string) => registry.open.find(({ spec }) => spec.tenant === tenant)?.catalog;
  addJoinRoute(host, joinOptions(options));
  addMetricsRoutes(host, { ...accounts, loads: loadReports, catalogOf });
  const proxies = stack.use(openProxySources(options, streams, () => server.listClients()));
  const viewOf = (proxy: Proxy) => server.viewOf(proxy);
  addMeshRoutes(host, { directory, registry, streams, viewOf, authorize, proxies, authority, hasAccount });
  addInstanceRoute(host, { directory, ...instances, authorize, proxies });
  const ownMachines = () => {
    const reports = registry.open.map(({ machines }) => machines.report);
    return { connected: reports.flatMap(({ connected }) => connected), lost: reports.flatMap(({ lost }) => lost) };
  };
  const stateNow = () => replicaStateOf(authority.trustVersion, server.listClients(), streams.status(), ownMachines());
  stack.use(openReplicaReport({ platform, replica: options.replica, stateNow, logger }));
  const owned = stack.move();
  return {
    port: server.port,
    startControllers: controllerMetrics => {
      const controllers = new AsyncDisposableStack();
      const common = { client: platform, logger, metrics: controllerMetrics };
      const acknowledgements = acknowledgementsOf(platform);
      controllers.use(startRootController({ ...common, acknowledgements, stepTimeoutMs: maxStepMs }));
      controllers.use(deleteStoredKeys(common));
      controllers.use(startMeshController({ ...common, registry }));
      controllers.use(startMemberAccessController(common));
      return controllers;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Machines join clusters that the landscape serves. */
function joinOptions(options: MeshControlPlaneOptions): JoinRouteOptions {
  const { platform, connectMember, isLogicalCluster, logger, clouds = readCloudSettings({}) } = options;
  const { awsIdentityCertificates, azureIdentityAuthorities, testEndpoints } = clouds;
  const issuer = testEndpoints.google?.replace(/\/$/, '');
  return {
    verifier: createDocumentVerifier({
      ...{ awsCertificates: awsIdentityCertificates, azureAuthorities: azureIdentityAuthorities },
      ...(issuer && { googleIssuer: issuer }),
    }),
    connectOwn: async cluster => {
      if (!(await isLogicalCluster(cluster))) return undefined;
      const { client } = await connectMember(cluster, {
        isTopology: false,
        signal: AbortSignal.timeout(joinTimeoutMs),
      });
      return client;
    },
    landscapeId: async () => {
      const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
      return (await platform.get({ ...namespaces, name: 'kube-system' })).metadata.uid ?? '';
    },
    now: () => systemClock.now(),
    logger,
  };
}

/** Reads cloud accounts in one of the replicas that have the mesh open. */
function cloudReader(options: MeshControlPlaneOptions): (cluster: string, client: Client) => AsyncDisposable {
  const { platform, replica, logger, metrics, clouds: settings = readCloudSettings({}) } = options;
  const { onRequest, onEvents } = createCloudMetrics(metrics);
  const clouds = createClouds({ testEndpoints: settings.testEndpoints, onRequest });
  return (cluster, client) => {
    const mayUseServerCredentials = (id: string, namespace: string): boolean =>
      isAllowed(settings, { cluster, namespace, id });
    return electCloudReader({ platform, replica, cluster, client, clouds, mayUseServerCredentials, onEvents, logger });
  };
}

/** The records of instances are read when a mesh needs them. */
function openInstances(
  { onboarding }: MeshControlPlaneOptions,
  stack: AsyncDisposableStack,
): Pick<MeshRegistryOptions, 'instanceRecords'> {
  if (onboarding === undefined) return {};
  let records: InstanceRecords | undefined;
  stack.defer(async () => records?.[Symbol.asyncDispose]());
  return {
    instanceRecords: () => {
      records ??= new InstanceRecords({ client: onboarding });
      return records;
    },
  };
}

/** Opens the sources of connected proxies, of this and of other replicas. */
function openProxySources(
  { platform, replica, logger }: MeshControlPlaneOptions,
  streams: DiscoveryStreams,
  listClients: XdsServer['listClients'],
): ProxySources & AsyncDisposable {
  const ownProxies = (mesh: string): readonly ReplicaStream[] => {
    const certificates = new Map([...listClients()].map(client => [client.proxy, client]));
    return [...streams.status()]
      .filter(({ proxy }) => proxy.identity.tenant === mesh)
      .map(stream => showStream(stream, certificates.get(stream.proxy)));
  };
  const inquiries = new ReplicaInquiries({ platform, replica, proxiesOf: ownProxies, logger });
  return { replica, ownProxies, inquiries, [Symbol.asyncDispose]: () => inquiries[Symbol.asyncDispose]() };
}
