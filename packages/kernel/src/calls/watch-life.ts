import { bookmarkIntervalMs } from '@chandlery/api';
import { logicalClusterResource, platformCluster } from '../clusters/logical-cluster-kind.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { WatchItem } from '../resources/watch.ts';

/** The watch as its life cycle needs it. */
export interface WatchLifeOptions {
  readonly feed: Pick<ChangeFeed, 'listen'>;
  /** The logical cluster that serves the watch. */
  readonly cluster: string;
  readonly hasBookmarks: boolean;
  /** Default: the watch has no time limit. */
  readonly timeoutSeconds?: number | undefined;
  /** The revision up to which everything has been delivered; undefined while the watch is not open yet. */
  readonly revision: () => number | undefined;
  readonly deliver: (items: readonly WatchItem[]) => unknown;
  /** Whether everything delivered so far has been sent. The last bookmark is sent only then. Default: always. */
  readonly isIdle?: () => boolean;
  readonly end: () => void;
  /** Called when the logical cluster changes but still exists. Default: changes are ignored. */
  readonly onClusterChange?: (() => void) | undefined;
}

/** The life of an open watch: bookmarks, the time limit, and the end of its logical cluster. Disposed of by its owner. */
export class WatchLife implements Disposable {
  readonly #options: WatchLifeOptions;
  readonly #stopListening: () => void;
  readonly #marking: NodeJS.Timeout | undefined;
  readonly #ending: NodeJS.Timeout | undefined;

  constructor(options: WatchLifeOptions) {
    this.#options = options;
    const { hasBookmarks, timeoutSeconds = 0 } = options;
    this.#stopListening = this.#endWithCluster();
    this.#marking = hasBookmarks ? setInterval(() => this.#bookmark(), bookmarkIntervalMs).unref() : undefined;
    this.#ending = timeoutSeconds > 0 ? setTimeout(() => this.#expire(), timeoutSeconds * 1000).unref() : undefined;
  }

  [Symbol.dispose](): void {
    this.#stopListening();
    clearInterval(this.#marking);
    clearTimeout(this.#ending);
  }

  /** Purging a logical cluster writes no events for its objects, so its watches listen to the cluster itself. */
  #endWithCluster(): () => void {
    const { feed, cluster, end, onClusterChange } = this.#options;
    const scope = { cluster: platformCluster, resource: logicalClusterResource, namespace: '', name: cluster };
    return feed.listen(scope, events => {
      if (events.some(({ change }) => change.type === 'deleted')) end();
      else onClusterChange?.();
    });
  }

  #expire(): void {
    const { isIdle, end } = this.#options;
    // A bookmark asserts that everything before it has been sent.
    if (isIdle?.() ?? true) this.#bookmark();
    end();
  }

  #bookmark(): void {
    const { hasBookmarks, revision, deliver } = this.#options;
    const delivered = revision();
    if (hasBookmarks && delivered !== undefined)
      void deliver([{ type: 'BOOKMARK', revision: delivered, isInitialEnd: false }]);
  }
}
