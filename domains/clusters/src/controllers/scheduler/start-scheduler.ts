import type { Client } from '@chandlery/client';
import { KeyedMutex, type Logger, randomIds, silentLogger } from '@chandlery/platform';
import {
  type Controller,
  type ControllerMetrics,
  createController,
  findCondition,
  type Informer,
  keyOf,
  type WatchSource,
} from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import { type ClusterRequest, clusterRequests } from '../../kinds/cluster-request.ts';
import { clusterNames } from '../../kinds/names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import type { Chance } from '../../model/scheduling/plan.ts';
import { affectedRequests } from './affected-requests.ts';
import { assignCluster } from './assign-cluster.ts';
import { ClusterCache } from './cluster-cache.ts';
import { clusterWrites } from './cluster-writes.ts';
import { OrphanedHolds } from './orphaned-holds.ts';
import { releaseCluster, releaseStrays } from './release-cluster.ts';
import type { SchedulerDeps } from './scheduler-deps.ts';

export interface SchedulerOptions {
  /** The platform cluster. */
  readonly client: Client;
  readonly requests: Informer<ClusterRequest>;
  readonly clusters: Informer<Cluster>;
  readonly profiles: Informer<ClusterProfile>;
  readonly configs: Informer<SchedulerConfig>;
  /** Default: real randomness. */
  readonly chance?: Chance;
  /** How long finalizers of deleted requests stay on clusters. Default 5000. */
  readonly orphanDelayMs?: number;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
}

const givenIndex = 'scheduler/given';
const unsettledIndex = 'scheduler/unsettled';
const stuckIndex = 'scheduler/stuck';
const defaultChance: Chance = { random: Math.random, suffix: () => randomIds.nameSuffix() };

/** Starts the scheduler of ClusterRequests. */
export function startScheduler(options: SchedulerOptions): AsyncDisposable {
  const { client, requests, clusters, profiles, configs, chance = defaultChance } = options;
  const { logger = silentLogger, metrics } = options;
  requests.addIndex(givenIndex, givenKeys);
  requests.addIndex(unsettledIndex, unsettled);
  requests.addIndex(stuckIndex, stuckPurposes);
  const stack = new AsyncDisposableStack();
  const cache = stack.use(new ClusterCache(clusters, requests, profiles));
  const writes = clusterWrites(client, cache);
  const config = (): SchedulerConfig['spec'] | undefined => configs.get(undefined, 'default')?.spec;
  const controller = createController<ClusterRequest, SchedulerDeps>({
    name: 'scheduler',
    client,
    for: { ref: clusterRequests.ref, informer: requests },
    // Only to wait for their first list: the mapping of their changes needs both versions.
    watches: [silently(clusters), silently(profiles), silently(configs)],
    finalizer: clusterNames.requestFinalizer,
    steps: [releaseStrays, assignCluster],
    onDelete: [releaseCluster],
    needs: { view: cache, chance, purposeLocks: new KeyedMutex<string>(), config, ...writes },
    concurrency: 16,
    tenantOf: key => key.slice(0, key.indexOf('/')),
    logger,
    ...(metrics && { metrics }),
  });
  stack.use(controller);
  for (const unlisten of enqueueRequests(controller, options, cache)) stack.defer(unlisten);
  stack.use(new OrphanedHolds({ clusters, requests, cache, writes, logger, delayMs: options.orphanDelayMs ?? 5000 }));
  controller.start();
  return stack;
}

const silently = (informer: Informer): WatchSource => ({ informer, mapToKeys: () => [] });

function enqueueRequests(
  controller: Controller,
  { clusters, profiles, configs, requests }: SchedulerOptions,
  cache: ClusterCache,
): (() => void)[] {
  const enqueue = (found: readonly ClusterRequest[]): void => found.forEach(each => controller.enqueue(keyOf(each)));
  const enqueueAffected = (before: Cluster | undefined, after: Cluster | undefined): void => {
    const { holders, givenKey, purposes } = affectedRequests(before, after);
    enqueue(holders.flatMap(uid => cache.findRequest(uid) ?? []));
    if (givenKey !== undefined) enqueue(requests.byIndex(givenIndex, givenKey));
    for (const purpose of purposes) enqueue(requests.byIndex(stuckIndex, purpose));
  };
  const reconfigure = (): void => enqueue(requests.byIndex(unsettledIndex, 'true'));
  return [
    clusters.listen({
      added: after => enqueueAffected(undefined, after),
      updated: (after, before) => enqueueAffected(before, after),
      deleted: before => enqueueAffected(before, undefined),
    }),
    profiles.listen({ added: reconfigure, updated: reconfigure }),
    configs.listen({ added: reconfigure, updated: reconfigure, deleted: reconfigure }),
  ];
}

const givenKeys = ({ status }: ClusterRequest): readonly string[] =>
  status?.cluster === undefined ? [] : [`${status.cluster.namespace}/${status.cluster.name}`];

const unsettled = ({ status }: ClusterRequest): readonly string[] => (status?.phase === 'Granted' ? [] : ['true']);

/** Requests that only a change of a cluster can resolve. */
function stuckPurposes(request: ClusterRequest): readonly string[] {
  const reason = findCondition(request, 'Ready')?.reason ?? '';
  return ['ClusterConflict', 'WaitingForClusterDeletion', 'CapabilityMissing'].includes(reason)
    ? [request.spec.purpose]
    : [];
}
