import { rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { isError } from '@chandlery/api';
import type { ListeningEndpoint } from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import type { ContainerUsage, PodUsage } from '@chandlery/clusters';
import { type AuditLog, credentialsOfRequest, type HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  isMaster,
  type Kernel,
  openLargeObjects,
  parseServiceAccountUsername,
  platformCluster,
  wellKnown,
} from '@chandlery/kernel';
import type { PodLogs } from '@chandlery/kubernetes';
import {
  type BlobStore,
  createFetchExternal,
  DataProxy,
  FileBlobStore,
  FileSiteStore,
  type FindCaller,
  loadModels,
  moveBlobs,
  type Orders,
  type OrdersOptions,
  openOrders,
  PostgresBlobStore,
  type ReadContainerLog,
  type ReadContainerUsage,
  readOrdersSettings,
  S3BlobStore,
  UploadFolder,
} from '@chandlery/orders';
import { ordersCluster, ordersGroup } from '@chandlery/orders/kinds';
import {
  type Logger,
  type MetricsRegistry,
  type ServerConfig,
  type Shutdown,
  serverNames,
  thisMachine,
} from '@chandlery/platform';
import { peopleNamespace } from '@chandlery/providers/kinds';
import { type RestApi, restEntry } from './audit.ts';
import type { RunningWorkflows } from './workflows.ts';

/** What services and orders share with the rest of the process. */
export interface OrdersDeps {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  readonly registry: MetricsRegistry;
  readonly podLogs: PodLogs;
  readonly podUsage: PodUsage;
  readonly workflows: Pick<RunningWorkflows, 'artifacts'>;
  /** Has the URL of the landscape once it listens. */
  readonly serving: { readonly url?: string };
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Adds services and orders to the host. */
export async function startOrders(config: ServerConfig, deps: OrdersDeps): Promise<Orders> {
  const { kernel, host, authenticator, registry, logger, stopping } = deps;
  const client = stopping.use('client of orders', createKernelClient(kernel, { cluster: ordersCluster }));
  const platform = stopping.use(
    'client of orders on platform',
    createKernelClient(kernel, { cluster: platformCluster }),
  );
  const { models, allowedRanges, siteDomains, argo } = readOrdersSettings(config.orders);
  const dataProxy = stopping.use('data proxy', await DataProxy.open(join(config.dataDir, 'orders')));
  const orders = await openOrders({
    client,
    platform,
    ownHosts: ownHosts(config),
    siteDomains,
    siteEndpoint: () => siteEndpoint(config, deps.serving.url),
    host,
    findCaller: createFindCaller(kernel, authenticator),
    audit: entry => deps.audit.record(restEntry(api, entry)),
    ...(await openBytes(config, stopping)),
    workflowArtifacts: deps.workflows.artifacts,
    dataProxy,
    argo: { clusters: argo, logFolder: join(config.dataDir, 'orders', 'argo-logs') },
    models: await loadModels(models),
    readContainerLog: createReadLog(platform, deps.podLogs),
    readContainerUsage: createReadUsage(platform, deps.podUsage),
    fetchExternal: createFetchExternal({ allowLoopback: config.localClusters === 'on', allowedRanges }),
    metrics: registry,
    logger: logger.child({ domain: 'orders' }),
  });
  return stopping.use('orders', orders);
}

const api: RestApi = { cluster: ordersCluster, group: ordersGroup, version: '1', prefix: /^\/1\// };

/** All that a container printed so far. */
const wholeLog = { timestamps: true, follow: false, previous: false, signal: new AbortController().signal };

/** Reads logs of pods while they exist, and those that are stored afterwards. */
const createReadLog =
  (platform: Client, podLogs: PodLogs): ReadContainerLog =>
  async ({ namespace, pod: name, container }) => {
    try {
      const pod = await platform.get({ ...pods, namespace, name });
      return await podLogs.read({ cluster: platformCluster, pod, container, ...wholeLog });
    } catch (error) {
      if (!isError(error, 'NotFound', 'BadRequest')) throw error;
      return podLogs.readStored?.({ cluster: platformCluster, namespace, pod: name, container, timestamps: true });
    }
  };

const pods = { group: '', version: 'v1', plural: 'pods' } as const;

/** Measures containers of pods that this process runs. */
const createReadUsage =
  (platform: Client, podUsage: PodUsage): ReadContainerUsage =>
  async ({ namespace, pod: name, container }) => {
    try {
      const { metadata } = await platform.get({ ...pods, namespace, name });
      const usage = await podUsage.read({ cluster: platformCluster, uid: metadata.uid ?? '', container });
      return usage && formatUsage(usage);
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  };

/** As `kubectl top` writes them. */
const formatUsage = (usage: ContainerUsage): Awaited<ReturnType<ReadContainerUsage>> => ({
  cpu: `${Math.ceil(usage.cpuCores * 1000)}m`,
  memory: kibibytes(usage.memoryBytes),
  storage: kibibytes(usage.storageBytes),
  ephemeralStorage: kibibytes(usage.ephemeralStorageBytes),
});

const kibibytes = (bytes: number): string => (bytes === 0 ? '0' : `${Math.ceil(bytes / 1024)}Ki`);

/** Where bytes are kept, and how many. What was coming in when the process ended is removed. */
async function openBytes(
  config: ServerConfig,
  stopping: Shutdown,
): Promise<Pick<OrdersOptions, 'blobs' | 'uploads' | 'sites' | 'settings'>> {
  const { settings } = readOrdersSettings(config.orders);
  const folder = join(config.dataDir, 'orders');
  const incoming = join(folder, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  const blobs = await openBlobs(config, { folder, incoming, stopping });
  const sites = new FileSiteStore({ folder: join(folder, 'sites'), incoming, blobs, limits: settings });
  return { blobs, uploads: new UploadFolder(join(folder, 'uploads')), sites, settings };
}

interface BlobParts {
  readonly folder: string;
  readonly incoming: string;
  readonly stopping: Shutdown;
}

/** Opens the store that all replicas share; alone, the data folder is enough. */
async function openBlobs(
  { database, orders }: ServerConfig,
  { folder, incoming, stopping }: BlobParts,
): Promise<BlobStore> {
  const { s3 } = readOrdersSettings(orders);
  if (s3 !== undefined) return new S3BlobStore({ ...s3, incoming });
  const files = new FileBlobStore(folder);
  if (database === undefined) return files;
  const objects = stopping.use('large objects', await openLargeObjects({ url: database }));
  const shared = new PostgresBlobStore({ objects, incoming });
  // Landscapes that were on a database before it took blobs have files.
  await moveBlobs(files, shared);
  return shared;
}

/** A landscape that listens on all addresses of the machine serves sites at none in particular. */
function siteEndpoint({ host }: ServerConfig, url: string | undefined): ListeningEndpoint | undefined {
  const isOne = isIP(host) !== 0 && host !== '0.0.0.0' && host !== '::';
  return isOne && url !== undefined ? { address: host, port: Number(new URL(url).port), name: 'https' } : undefined;
}

/** Everything that a client may call the landscape. */
function ownHosts({ host, publicUrl }: ServerConfig): readonly string[] {
  const { dnsNames, ipAddresses } = serverNames(host, thisMachine());
  return [...dnsNames, ...ipAddresses, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
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
      ownNamespace: tenantOf(user.username),
      may,
      namespaces: () => access.namespacesOf(user),
    };
  };

/** The namespace that a service account belongs to. The accounts of people belong to none: like users, they have roles. */
function tenantOf(username: string): string | undefined {
  const namespace = parseServiceAccountUsername(username)?.namespace;
  return namespace === peopleNamespace ? undefined : namespace;
}
