import { hostname } from 'node:os';
import { credentialsOfRequest, type HttpHost } from '@chandlery/http';
import { type Authenticator, createKernelClient, type Kernel, platformCluster } from '@chandlery/kernel';
import { Gate, stranger } from '@chandlery/kubernetes';
import { type Guard, type MeshControlPlane, openMeshControlPlane } from '@chandlery/mesh';
import {
  type Logger,
  type MetricsRegistry,
  randomIds,
  type ServerConfig,
  type Shutdown,
  serverNames,
  thisMachine,
} from '@chandlery/platform';
import { createClusterConnections } from './cluster-connections.ts';

/** What the mesh shares with the rest of the process. */
export interface MeshParts {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Opens the port for proxies and adds the mesh's routes to the host. */
export async function startMesh(config: ServerConfig, parts: MeshParts): Promise<MeshControlPlane> {
  const { kernel, host, authenticator, registry, logger, stopping } = parts;
  const platform = stopping.use('client of the mesh', createKernelClient(kernel, { cluster: platformCluster }));
  const isLogicalCluster = async (name: string): Promise<boolean> => (await kernel.clusters.find(name)) !== undefined;
  const connectCluster = createClusterConnections({ kernel, isLogicalCluster });
  const { dnsNames, ipAddresses } = serverNames(config.host, thisMachine());
  const mesh = await openMeshControlPlane({
    platform,
    connectCluster,
    isLogicalCluster,
    host,
    guard: createGuard(kernel, authenticator),
    xds: { host: config.host, port: config.xdsPort, names: [...dnsNames, ...ipAddresses] },
    replica: `${hostname()}-${process.pid}-${randomIds.nameSuffix()}`.toLowerCase(),
    metrics: registry,
    logger: logger.child({ domain: 'mesh' }),
  });
  return stopping.use('mesh', mesh);
}

/** The roles of the logical cluster decide, as for its Kubernetes API; a service account may always speak for itself. */
function createGuard(kernel: Kernel, authenticator: Authenticator): Guard {
  const gate = new Gate({ kernel, authenticator });
  return async (request, { cluster, ...attributes }) => {
    const { namespace, name, resource, subresource } = attributes;
    if (resource === 'serviceaccounts' && subresource === 'token') {
      const user = await authenticator.authenticate(credentialsOfRequest(request), cluster);
      if (user.username === `system:serviceaccount:${namespace}:${name}`) return;
    }
    await gate.admit(stranger(), { request, cluster, attributes, isOpen: false });
  };
}
