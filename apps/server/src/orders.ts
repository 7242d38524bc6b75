import { join } from 'node:path';
import { credentialsOfRequest, type HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  isMaster,
  type Kernel,
  parseServiceAccountUsername,
  wellKnown,
} from '@chandlery/kernel';
import { FileBlobStore, type FindCaller, type Orders, openOrders, UploadFolder } from '@chandlery/orders';
import { ordersCluster, ordersGroup } from '@chandlery/orders/kinds';
import type { Logger, MetricsRegistry, ServerConfig, Shutdown } from '@chandlery/platform';

/** What services and orders share with the rest of the process. */
export interface OrdersParts {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Adds services and orders to the host. */
export async function startOrders({ dataDir }: ServerConfig, parts: OrdersParts): Promise<Orders> {
  const { kernel, host, authenticator, registry, logger, stopping } = parts;
  const client = stopping.use('client of orders', createKernelClient(kernel, { cluster: ordersCluster }));
  const folder = join(dataDir, 'orders');
  const blobs = new FileBlobStore(folder);
  await blobs.clearIncoming();
  const orders = await openOrders({
    client,
    host,
    findCaller: createFindCaller(kernel, authenticator),
    blobs,
    uploads: new UploadFolder(join(folder, 'uploads')),
    metrics: registry,
    logger: logger.child({ domain: 'orders' }),
  });
  return stopping.use('orders', orders);
}

/** Callers have the rights that the onboarding cluster gives them: the same as for requests with kubectl. */
export const createFindCaller =
  (kernel: Kernel, authenticator: Authenticator): FindCaller =>
  async ({ raw }) => {
    const user = await authenticator.authenticate(credentialsOfRequest(raw), ordersCluster);
    if (user.username === wellKnown.anonymousUser) return undefined;
    const access = await kernel.access.of(ordersCluster);
    const may = (verb: string, resource: string, namespace: string): boolean =>
      access.authorize(user, { verb, group: ordersGroup, resource, namespace }).allowed;
    return {
      username: user.username,
      isOperator: isMaster(user) || may('*', '*', ''),
      ownNamespace: parseServiceAccountUsername(user.username)?.namespace,
      may,
      namespaces: () => access.namespacesOf(user),
    };
  };
