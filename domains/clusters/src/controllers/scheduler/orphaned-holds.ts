import type { Logger } from '@chandlery/platform';
import {
  createWorkQueue,
  type Informer,
  keyOf,
  parseKey,
  runWorkers,
  type WorkQueue,
  type WorkResult,
} from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { holdersOf, withoutHolds } from '../../model/scheduling/holds.ts';
import type { ClusterCache } from './cluster-cache.ts';
import type { SchedulerDeps } from './scheduler-deps.ts';

export interface OrphanedHoldsOptions {
  readonly clusters: Informer<Cluster>;
  readonly requests: Informer<ClusterRequest>;
  readonly cache: ClusterCache;
  readonly writes: Pick<SchedulerDeps, 'writeMetadata' | 'areGone'>;
  /** How long to wait before a hold counts as orphaned: the two caches are not updated together. */
  readonly delayMs: number;
  readonly logger: Logger;
}

/**
 * Removes the finalizers of deleted requests from clusters: an operator forced the deletion, or a backup was restored
 * with new uids. The clusters stay, whatever their labels say: the same request, created again, finds its cluster by name.
 */
export class OrphanedHolds implements AsyncDisposable {
  readonly #options: OrphanedHoldsOptions;
  readonly #queue: WorkQueue<string>;
  readonly #unlisten: readonly (() => void)[];
  #workers: AsyncDisposable | undefined;
  #isStopped = false;

  constructor(options: OrphanedHoldsOptions) {
    this.#options = options;
    const { clusters, requests, cache } = options;
    this.#queue = createWorkQueue<string>({ backOff: { baseMs: options.delayMs, maxMs: options.delayMs } });
    const enqueue = (cluster: Cluster): void => {
      if (this.#orphansOf(cluster).length > 0) this.#queue.addAfter(keyOf(cluster), options.delayMs);
    };
    this.#unlisten = [
      clusters.listen({ added: enqueue, updated: enqueue }),
      requests.listen({ deleted: ({ metadata }) => cache.heldBy(metadata.uid ?? '').forEach(enqueue) }),
    ];
    void this.#startWorkers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#isStopped = true;
    await (this.#workers?.[Symbol.asyncDispose]() ?? this.#queue.stop('abandon'));
  }

  #orphansOf(cluster: Cluster): readonly string[] {
    return holdersOf(cluster).filter(uid => !this.#options.cache.isAlive(uid));
  }

  async #startWorkers(): Promise<void> {
    const { clusters, requests, logger } = this.#options;
    const areSynced = await Promise.all([clusters.synced, requests.synced]).then(
      () => true,
      () => false,
    );
    if (!areSynced || this.#isStopped) return;
    this.#workers = runWorkers({
      name: 'clusters-orphaned-holds',
      queue: this.#queue,
      graceMs: 0,
      work: (key, { signal }) => this.#removeHolds(key, signal),
      onFailure: ({ key, error }) => logger.debug(`cannot remove orphaned holds of cluster ${key}: ${error.message}`),
    });
  }

  async #removeHolds(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { clusters, writes, delayMs, logger } = this.#options;
    const { namespace, name } = parseKey(key);
    const cluster = clusters.get(namespace, name);
    const orphans = cluster === undefined ? [] : this.#orphansOf(cluster);
    if (cluster === undefined || orphans.length === 0) return 'done';
    if (!(await writes.areGone(orphans, signal))) return { requeueAfterMs: delayMs };
    await writes.writeMetadata(cluster, { finalizers: withoutHolds(cluster, orphans) }, signal);
    logger.info('removed the finalizers of deleted requests from a cluster', { cluster: key, requests: orphans });
    return 'done';
  }
}
