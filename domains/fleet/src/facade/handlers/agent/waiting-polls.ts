import type { ClusterRevisions } from './cluster-revisions.ts';

/** Polls of one cluster that may wait at the same time; its agent needs one. */
const maxWaitingPerCluster = 4;

/** How long a poll waits and for what. */
export interface PollRequest {
  /** Its term in the index of instances. */
  readonly cluster: string;
  /** The revision that the agent has. */
  readonly revision: string;
  readonly waitMs: number;
  /** The client disconnected, or the process stops. */
  readonly signal: AbortSignal;
}

/** Lets polls of agents wait until there is something new. Costs no database access. */
export class WaitingPolls {
  readonly #revisions: ClusterRevisions;
  /** Functions that end a poll, the oldest first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(revisions: ClusterRevisions) {
    this.#revisions = revisions;
  }

  /** Resolves with whether the revision differs, as soon as it does or when the poll ends. */
  async hasNews(request: PollRequest): Promise<boolean> {
    const isNew = (): boolean => this.#revisions.of(request.cluster) !== request.revision;
    if (isNew() || request.waitMs <= 0 || request.signal.aborted) return isNew();
    await this.#wait(request, isNew);
    return isNew();
  }

  #wait({ cluster, waitMs, signal }: PollRequest, isNew: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ofCluster = this.#waiting.get(cluster) ?? new Set();
    this.#waiting.set(cluster, ofCluster);
    const stopListening = this.#revisions.listen(cluster, () => {
      if (isNew()) end();
    });
    const timer = setTimeout(() => end(), waitMs);
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener('abort', end);
      ofCluster.delete(end);
      if (ofCluster.size === 0 && this.#waiting.get(cluster) === ofCluster) this.#waiting.delete(cluster);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    ofCluster.add(end);
    if (ofCluster.size > maxWaitingPerCluster) ofCluster.values().next().value?.();
    return promise;
  }
}
