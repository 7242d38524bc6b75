import { hostname } from 'node:os';
import type { HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  type Kernel,
  onboardingCluster,
  platformCluster,
} from '@chandlery/kernel';
import {
  type EndpointsProviderFactory,
  MemberConnections,
  type MeshControlPlane,
  openMeshControlPlane,
  readCloudSettings,
} from '@chandlery/mesh';
import {
  type Logger,
  type MetricsRegistry,
  randomIds,
  type ServerConfig,
  type Shutdown,
  serverNames,
  thisMachine,
} from '@chandlery/platform';
import { createMeshGuard } from './mesh-guard.ts';

/** What the mesh shares with the rest of the process. */
export interface MeshDeps {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly endpointsProviders: readonly EndpointsProviderFactory[];
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Opens the port for proxies and adds the mesh's routes to the host. */
export async function startMesh(config: ServerConfig, deps: MeshDeps): Promise<MeshControlPlane> {
  const { kernel, host, authenticator, endpointsProviders, registry, logger, stopping } = deps;
  const platform = stopping.use('client of the mesh', createKernelClient(kernel, { cluster: platformCluster }));
  const onboarding = stopping.use('instances of the mesh', createKernelClient(kernel, { cluster: onboardingCluster }));
  const isLogicalCluster = async (name: string): Promise<boolean> => (await kernel.clusters.find(name)) !== undefined;
  const meshLogger = logger.child({ domain: 'mesh' });
  const connectLogical = (cluster: string) => createKernelClient(kernel, { cluster });
  const members = new MemberConnections({ platform, isLogicalCluster, connectLogical, logger: meshLogger });
  stopping.use('connections of the mesh', members);
  const { dnsNames, ipAddresses } = serverNames(config.host, thisMachine());
  const mesh = await openMeshControlPlane({
    platform,
    onboarding,
    connectMember: members.connect,
    hasAccount: members.hasAccount,
    isLogicalCluster,
    endpointsProviders,
    clouds: readCloudSettings(config.clouds),
    host,
    authorize: createMeshGuard({ kernel, authenticator, logicalNameOf: member => members.logicalNameOf(member) }),
    xds: { host: config.host, port: config.xdsPort, names: [...dnsNames, ...ipAddresses] },
    replica: `${hostname()}-${process.pid}-${randomIds.nameSuffix()}`.toLowerCase(),
    metrics: registry,
    logger: meshLogger,
  });
  return stopping.use('mesh', mesh);
}
