import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { createWorkQueue, type Informer, keyOf, parseKey, type WorkQueue } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { holdersOf, withoutHolds } from '../../model/scheduling/holds.ts';
import type { ClusterCache } from './cluster-cache.ts';
import type { SchedulerNeeds } from './scheduler-needs.ts';

export interface OrphanedHoldsOptions {
  readonly clusters: Informer<Cluster>;
  readonly requests: Informer<ClusterRequest>;
  readonly cache: ClusterCache;
  readonly writes: Pick<SchedulerNeeds, 'writeMetadata' | 'areGone'>;
  /** Caches need a moment to agree. */
  readonly delayMs: number;
  readonly logger: Logger;
}

/**
 * Takes the finalizers of requests that are gone off clusters: somebody forced them out, or a backup was restored under
 * new uids. The clusters stay, whatever their labels say: the same request made anew finds its own by name.
 */
export class OrphanedHolds implements AsyncDisposable {
  readonly #options: OrphanedHoldsOptions;
  readonly #queue: WorkQueue<string> = createWorkQueue<string>();
  readonly #stopping = new AbortController();
  readonly #unlisten: readonly (() => void)[];
  readonly #worker: Promise<void>;

  constructor(options: OrphanedHoldsOptions) {
    this.#options = options;
    const { clusters, requests, cache } = options;
    const look = (cluster: Cluster): void => {
      if (this.#orphansOf(cluster).length > 0) this.#queue.addAfter(keyOf(cluster), options.delayMs);
    };
    this.#unlisten = [
      clusters.listen({ added: look, updated: look }),
      requests.listen({ deleted: ({ metadata }) => cache.heldBy(metadata.uid ?? '').forEach(look) }),
    ];
    this.#worker = this.#work();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#stopping.abort();
    await this.#queue.stop('abandon');
    await this.#worker;
  }

  #orphansOf(cluster: Cluster): readonly string[] {
    return holdersOf(cluster).filter(uid => !this.#options.cache.isAlive(uid));
  }

  async #work(): Promise<void> {
    const { clusters, requests } = this.#options;
    const areSynced = await Promise.all([clusters.synced, requests.synced]).then(
      () => true,
      () => false,
    );
    if (!areSynced) return;
    for (let work = await this.#queue.next(); work !== undefined; work = await this.#queue.next()) {
      using current = work;
      await this.#tidy(current.key);
    }
  }

  async #tidy(key: string): Promise<void> {
    const { clusters, writes, logger } = this.#options;
    const { namespace, name } = parseKey(key);
    const cluster = clusters.get(namespace, name);
    const orphans = cluster === undefined ? [] : this.#orphansOf(cluster);
    this.#queue.forget(key);
    if (cluster === undefined || orphans.length === 0) return;
    const { signal } = this.#stopping;
    try {
      if (!(await writes.areGone(orphans, signal))) return this.#queue.addAfter(key, this.#options.delayMs);
      await writes.writeMetadata(cluster, { finalizers: withoutHolds(cluster, orphans) }, signal);
      logger.info('took the finalizers of requests that are gone off a cluster', { cluster: key, requests: orphans });
    } catch (thrown) {
      logger.debug(`cannot tidy up cluster ${key} yet: ${toError(thrown).message}`);
      if (!signal.aborted) this.#queue.addAfter(key, this.#options.delayMs);
    }
  }
}
