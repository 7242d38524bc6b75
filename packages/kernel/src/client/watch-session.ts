import type { KubeObject } from '@chandlery/api';
import type { WatchEvent, WatchOptions } from '@chandlery/client';
import { logicalClusterResource, platformCluster } from '../clusters/logical-cluster-kind.ts';
import type { Kernel } from '../kernel.ts';
import type { Target } from '../resources/request.ts';
import { cloneObject } from '../resources/shape.ts';
import { type Watch, type WatchItem, type WatchRequest, watchObjects } from '../resources/watch.ts';
import { EventQueue } from './event-queue.ts';

const bookmarkEveryMs = 60_000;

/** One watch of a client: follows the kernel until its time is over, its reader leaves or its cluster goes. */
export class WatchSession implements Disposable {
  readonly queue = new EventQueue();
  readonly #target: Target;
  readonly #hasBookmarks: boolean;
  readonly #isKnown: WatchOptions['isKnown'];
  readonly #stack = new DisposableStack();
  #watch: Watch | undefined;

  constructor(kernel: Kernel, target: Target, options: WatchOptions) {
    this.#target = target;
    this.#hasBookmarks = options.hasBookmarks ?? true;
    this.#isKnown = options.isKnown;
    this.#endWithSignal(options.signal);
    this.#endWithCluster(kernel);
    this.#schedule(options.timeoutSeconds);
    void this.#open(kernel, requestOf(options));
  }

  /** What the caller gets for something that the kernel tells. Its own: other watchers share what the kernel has. */
  eventOf<T extends KubeObject>(item: WatchItem): WatchEvent<T> {
    if (item.type === 'BOOKMARK') return { type: item.type, object: this.#bookmarkOf(item) as T };
    const { type, served, source } = item;
    return { type, object: (served === source ? cloneObject(served.object) : served.object) as T };
  }

  /** Whether the caller has what the kernel tells: seen without decoding it. */
  isKnown(item: WatchItem): boolean {
    if (this.#isKnown === undefined || item.type === 'BOOKMARK' || item.type === 'DELETED') return false;
    const { source } = item;
    return source !== undefined && this.#isKnown(source.change.key.name, source.revision);
  }

  /** Does something when the watch is over. */
  onDispose(work: () => void): void {
    this.#stack.defer(work);
  }

  [Symbol.dispose](): void {
    // Lets go of an initial listing that waits for its reader.
    this.queue.end();
    this.#stack.dispose();
  }

  async #open(kernel: Kernel, request: WatchRequest): Promise<void> {
    const sink = {
      deliver: (items: readonly WatchItem[]) => this.queue.push(items),
      fail: (error: unknown) => this.queue.end(error),
    };
    try {
      const watch = await watchObjects(kernel.needs, this.#target, request, sink);
      if (this.#stack.disposed) return watch.stop();
      this.#watch = watch;
      this.#stack.defer(() => watch.stop());
    } catch (error) {
      this.queue.end(error);
    }
  }

  #endWithSignal(signal: AbortSignal | undefined): void {
    const end = (): void => this.queue.end();
    signal?.addEventListener('abort', end, { once: true });
    this.#stack.defer(() => signal?.removeEventListener('abort', end));
  }

  /** Purging a logical cluster writes no events; its watches end with it. */
  #endWithCluster({ feed }: Kernel): void {
    const { cluster: name } = this.#target;
    const scope = { cluster: platformCluster, resource: logicalClusterResource, namespace: '', name };
    const stop = feed.listen(scope, events => {
      if (events.some(({ change }) => change.type === 'deleted')) this.queue.end();
    });
    this.#stack.defer(stop);
  }

  #schedule(timeoutSeconds: number | undefined): void {
    const marking = setInterval(() => this.#bookmark(), bookmarkEveryMs).unref();
    this.#stack.defer(() => clearInterval(marking));
    if (timeoutSeconds === undefined || timeoutSeconds <= 0) return;
    const ending = setTimeout(() => {
      this.#bookmark();
      this.queue.end();
    }, timeoutSeconds * 1000);
    this.#stack.defer(() => clearTimeout(ending));
  }

  #bookmark(): void {
    if (!this.#hasBookmarks || this.#watch === undefined) return;
    void this.queue.push([{ type: 'BOOKMARK', revision: this.#watch.revision(), isInitialEnd: false }]);
  }

  #bookmarkOf({ revision, isInitialEnd }: WatchItem & { type: 'BOOKMARK' }): KubeObject {
    const { kind, version } = this.#target.resource;
    const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    return {
      kind: kind.kind,
      apiVersion: version.apiVersion,
      metadata: { resourceVersion: String(revision), ...annotations },
    };
  }
}

function requestOf(options: WatchOptions): WatchRequest {
  const { labelSelector = '', fieldSelector = '', resourceVersion = '', hasInitialEvents } = options;
  const allowWatchBookmarks = options.hasBookmarks ?? true;
  const request = { labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks };
  if (hasInitialEvents === undefined) return request;
  return { ...request, sendInitialEvents: hasInitialEvents, resourceVersionMatch: 'NotOlderThan' };
}
