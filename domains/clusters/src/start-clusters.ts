import type { Client } from '@chandlery/client';
import { type Logger, silentLogger } from '@chandlery/platform';
import { type ControllerMetrics, type Informer, installKinds, SharedInformers } from '@chandlery/runtime';
import { createExternalSource } from './adapters/external/external-source.ts';
import { createLocalSource, type RunWorkloads } from './adapters/local/local-source.ts';
import { logicalClusters } from './adapters/logical/logical-cluster.ts';
import { createLogicalSource, type LandscapeServer } from './adapters/logical/logical-source.ts';
import { startAccess } from './controllers/access/start-access.ts';
import { ClusterSources } from './controllers/clusters/cluster-sources.ts';
import { startClusterController } from './controllers/clusters/start-cluster-controller.ts';
import type { HostImageMap } from './controllers/host-images/host-image-map.ts';
import { startScheduler } from './controllers/scheduler/start-scheduler.ts';
import {
  type AccessRequest,
  accessRequests,
  type Cluster,
  type ClusterProfile,
  type ClusterRequest,
  clusterProfiles,
  clusterRequests,
  clusters,
  type HostImage,
  hostImages,
  type SchedulerConfig,
  schedulerConfigs,
} from './kinds/index.ts';
import { builtInProviderName } from './kinds/names.ts';
import type { ClusterMetrics } from './metrics.ts';
import { type PodLogs, type PodUsage, podLogsOf, podUsageOf } from './pod-logs.ts';
import type { ClusterSource, PodNode } from './ports.ts';
import { seedLandscape } from './seed-landscape.ts';

export interface StartClustersOptions {
  /** The platform cluster, with all rights. Not disposed of. */
  readonly platform: Client;
  /** A client with all rights on a logical cluster. The caller disposes of it. */
  readonly connectLogical: (name: string) => Client;
  /** Where this landscape is served, and as which Kubernetes. */
  readonly server: LandscapeServer;
  /** Runs pods. Default: none, and clusters of the profile `local` report that. Not disposed of. */
  readonly node?: PodNode;
  /** Connects the node to a cluster. Default: nothing does, and clusters of the profile `local` say so. */
  readonly runWorkloads?: RunWorkloads;
  /** Kept as the HostImages say; made before the node, which asks it. Default: HostImages mean nothing. */
  readonly hostImages?: HostImageMap;
  /** Distinguishes landscapes that share external clusters. Must stay the same. Default `default`. */
  readonly environment?: string;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Default: nothing is counted. */
  readonly clusterMetrics?: ClusterMetrics;
}

/** Running controllers of clusters. Disposing of them stops what runs on local clusters, and leaves all objects. */
export interface RunningClusters extends AsyncDisposable {
  readonly sources: readonly ClusterSource[];
  /** Where a cluster comes from; undefined for clusters of other providers. */
  sourceOf(cluster: Cluster): ClusterSource | undefined;
  /** Informers of the platform cluster, to take part in. */
  readonly informers: SharedInformers;
  /** Undefined without a node. */
  readonly podLogs: PodLogs | undefined;
  /** Undefined without a node. */
  readonly podUsage: PodUsage | undefined;
}

/** Installs the kinds, creates what every landscape has, and starts the controllers. */
export async function startClusters(options: StartClustersOptions): Promise<RunningClusters> {
  const { platform, server, node, logger = silentLogger } = options;
  await installKinds(platform, kinds, { fieldManager: 'clusters' });
  await seedLandscape(platform, server.version);
  await using stack = new AsyncDisposableStack();
  const onError = (error: Error): void => logger.debug(`an informer has to try again: ${error.message}`);
  const informers = stack.use(new SharedInformers({ onError }));
  const sources = createSources(options, informers, stack);
  const lookup = new ClusterSources(sources, informerOf(informers, platform, clusterProfiles));
  attachHostImages(options, informers, stack);
  startControllers(options, { informers, sources, lookup }, stack);
  countClusters(options, informers, stack);
  await informers.synced();
  const all = stack.move();
  return {
    sources,
    sourceOf: cluster => lookup.sourceOf(cluster),
    informers,
    podLogs: node && podLogsOf(node),
    podUsage: node && podUsageOf(node),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const kinds = [clusters, clusterProfiles, clusterRequests, accessRequests, schedulerConfigs, hostImages].map(
  ({ crd }) => crd,
);

const informerOf = <T extends Cluster | ClusterRequest | ClusterProfile | SchedulerConfig | HostImage>(
  informers: SharedInformers,
  client: Client,
  { ref }: { readonly ref: { readonly group: string; readonly version: string; readonly plural: string } },
): Informer<T> => informers.informer<T>({ client, ref });

function createSources(
  { platform, connectLogical, server, runWorkloads }: StartClustersOptions,
  informers: SharedInformers,
  stack: AsyncDisposableStack,
): readonly ClusterSource[] {
  const informer = informers.informer({ client: platform, ref: logicalClusters });
  const logical = stack.use(createLogicalSource({ platform, informer, connectLogical, server }));
  const local = stack.use(createLocalSource({ logical, connectLogical, ...(runWorkloads && { runWorkloads }) }));
  return [logical, local, stack.use(createExternalSource({ platform }))];
}

interface Parts {
  readonly informers: SharedInformers;
  readonly sources: readonly ClusterSource[];
  readonly lookup: ClusterSources;
}

function startControllers(
  { platform: client, environment = 'default', logger = silentLogger, metrics }: StartClustersOptions,
  { informers, sources, lookup }: Parts,
  stack: AsyncDisposableStack,
): void {
  const common = {
    client,
    clusters: informerOf<Cluster>(informers, client, clusters),
    logger,
    ...(metrics && { metrics }),
  };
  const profiles = informerOf<ClusterProfile>(informers, client, clusterProfiles);
  stack.use(startClusterController({ ...common, profiles, lookup, sources }));
  const requests = informerOf<ClusterRequest>(informers, client, clusterRequests);
  const configs = informerOf<SchedulerConfig>(informers, client, schedulerConfigs);
  stack.use(startScheduler({ ...common, requests, profiles, configs }));
  const sourceOf = (cluster: Cluster): ClusterSource | undefined => lookup.sourceOf(cluster);
  const own = { provider: builtInProviderName, environment, sourceOf };
  stack.use(startAccess({ platform: client, informers, logger, ...own, ...(metrics && { metrics }) }));
}

function countClusters(
  { platform: client, clusterMetrics }: StartClustersOptions,
  informers: SharedInformers,
  stack: AsyncDisposableStack,
): void {
  if (clusterMetrics === undefined) return;
  const stop = clusterMetrics.count({
    clusters: informerOf<Cluster>(informers, client, clusters),
    requests: informerOf<ClusterRequest>(informers, client, clusterRequests),
    accessRequests: informers.informer<AccessRequest>({ client, ref: accessRequests.ref }),
    logicalClusters: informers.informer({ client, ref: logicalClusters }),
  });
  stack.defer(stop);
}

function attachHostImages(
  { platform, hostImages: map, node }: StartClustersOptions,
  informers: SharedInformers,
  stack: AsyncDisposableStack,
): void {
  if (map === undefined) return;
  stack.defer(map.attach(informerOf<HostImage>(informers, platform, hostImages), () => node?.imagesChanged()));
}
