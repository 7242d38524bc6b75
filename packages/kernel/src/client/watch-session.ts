import type { KubeObject } from '@chandlery/api';
import type { WatchEvent, WatchOptions } from '@chandlery/client';
import type { Calls } from '../calls/calls.ts';
import { WatchLife } from '../calls/watch-life.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { Target } from '../resources/request.ts';
import { cloneObject } from '../resources/shape.ts';
import type { Watch, WatchItem, WatchRequest } from '../resources/watch.ts';
import { EventQueue } from './event-queue.ts';

/** One watch of a client: follows the kernel until it times out, its reader leaves or its cluster is deleted. */
export class WatchSession implements Disposable {
  readonly queue = new EventQueue();
  readonly #target: Target;
  readonly #isKnown: WatchOptions['isKnown'];
  readonly #stack = new DisposableStack();
  #watch: Watch | undefined;

  constructor(deps: { readonly calls: Calls; readonly feed: ChangeFeed }, target: Target, options: WatchOptions) {
    this.#target = target;
    this.#isKnown = options.isKnown;
    this.#endWithSignal(options.signal);
    const life = new WatchLife({
      feed: deps.feed,
      cluster: target.cluster,
      hasBookmarks: options.hasBookmarks ?? true,
      timeoutSeconds: options.timeoutSeconds,
      revision: () => this.#watch?.revision(),
      deliver: items => this.queue.push(items),
      end: () => this.queue.end(),
    });
    this.#stack.use(life);
    void this.#open(deps.calls, requestOf(options));
  }

  /** The caller's event for an item. The object is the caller's own copy: watchers share those of the kernel. */
  eventOf<T extends KubeObject>(item: WatchItem): WatchEvent<T> {
    if (item.type === 'BOOKMARK') return { type: item.type, object: this.#bookmarkOf(item) as T };
    const { type, served, source } = item;
    return { type, object: (served === source ? cloneObject(served.object) : served.object) as T };
  }

  /** Whether the caller has the object of an item already; decided without decoding it. */
  isKnown(item: WatchItem): boolean {
    if (this.#isKnown === undefined || item.type === 'BOOKMARK' || item.type === 'DELETED') return false;
    const { source } = item;
    return source !== undefined && this.#isKnown(source.change.key.name, source.revision);
  }

  /** Runs `work` when the session is disposed of. */
  onDispose(work: () => void): void {
    this.#stack.defer(work);
  }

  [Symbol.dispose](): void {
    // Releases an initial listing that waits for its reader.
    this.queue.end();
    this.#stack.dispose();
  }

  async #open(calls: Calls, request: WatchRequest): Promise<void> {
    const sink = {
      deliver: (items: readonly WatchItem[]) => this.queue.push(items),
      fail: (error: unknown) => this.queue.end(error),
    };
    try {
      const watch = await calls.watch(this.#target, request, sink);
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
