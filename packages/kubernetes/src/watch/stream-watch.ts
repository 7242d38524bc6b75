import { apiError, isError } from '@chandlery/api';
import type { EventStream, HttpHost } from '@chandlery/http';
import { logicalClusterResource, platformCluster, type Watch, type WatchItem, watchObjects } from '@chandlery/kernel';
import { booleanOf, integerOf, type ResourceCall, representation } from '../call.ts';
import { statusOfError } from '../status.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { type FrameWriter, frameWriter } from './frames.ts';

const bookmarkEveryMs = 60_000;
const shortestDefaultSeconds = 1800;

/** Answers a watch request: headers at once, then one line per event until time-out, failure or the client's leaving. */
export async function streamWatch(call: ResourceCall, openStream: HttpHost['openStream']): Promise<void> {
  const session = new WatchSession(call, openStream);
  await session.run();
}

class WatchSession {
  readonly #call: ResourceCall;
  readonly #openStream: HttpHost['openStream'];
  readonly #frames: FrameWriter;
  readonly #wantsBookmarks: boolean;
  #stream: EventStream | undefined;
  #queue: DeliveryQueue | undefined;
  #watch: Watch | undefined;
  #timers: NodeJS.Timeout[] = [];
  #stopListening: () => void = () => undefined;
  #isClosed = false;
  /** Why the watch has ended before its stream was open. */
  #failure: unknown;

  constructor(call: ResourceCall, openStream: HttpHost['openStream']) {
    this.#call = call;
    this.#openStream = openStream;
    this.#frames = frameWriter(call, representation(call, 'resource'));
    this.#wantsBookmarks = booleanOf(call.query, 'allowWatchBookmarks') ?? false;
  }

  async run(): Promise<void> {
    const { kernel, target, query } = this.#call;
    const sendInitialEvents = booleanOf(query, 'sendInitialEvents');
    const timeoutSeconds = timeoutOf(query);
    try {
      this.#watch = await watchObjects(
        kernel.needs,
        target,
        {
          labelSelector: query.get('labelSelector') ?? '',
          fieldSelector: query.get('fieldSelector') ?? '',
          resourceVersion: query.get('resourceVersion') ?? '',
          resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
          allowWatchBookmarks: this.#wantsBookmarks,
          ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
        },
        {
          deliver: items => this.#deliver(items),
          fail: error => this.#fail(error),
          isClosed: () => this.#isClosed,
        },
      );
    } catch (error) {
      if (this.#stream === undefined) throw error;
      this.#fail(error);
      return;
    }
    if (this.#isClosed) return this.#watch.stop();
    this.#queueOf();
    this.#schedule(timeoutSeconds);
    this.#endWithCluster();
    if (this.#failure !== undefined) this.#fail(this.#failure);
  }

  /** Opens the stream with the first event, or when it is clear that the watch can be served. */
  #queueOf(): DeliveryQueue {
    if (this.#queue !== undefined) return this.#queue;
    this.#stream = this.#openStream(this.#call.reply, {
      headers: { 'content-type': 'application/json' },
      // The queue knows better what is too much.
      maxBufferedBytes: Number.POSITIVE_INFINITY,
      onClose: () => this.#close(),
    });
    this.#queue = new DeliveryQueue({ stream: this.#stream, frames: this.#frames });
    return this.#queue;
  }

  #deliver(items: readonly WatchItem[]): Promise<void> | undefined {
    return this.#isClosed ? undefined : this.#queueOf().push(items);
  }

  #fail(error: unknown): void {
    this.#failure = error;
    const cause = isError(error, 'Compacted') ? apiError('Expired', 'too old resource version', {}, error) : error;
    this.#stream?.end(this.#frames.error(statusOfError(cause)));
  }

  #schedule(timeoutSeconds: number): void {
    const ending = setTimeout(() => {
      // A bookmark says that everything before it was sent.
      if (this.#queue?.isIdle) this.#bookmark();
      this.#stream?.end();
    }, timeoutSeconds * 1000);
    const marking = this.#wantsBookmarks ? [setInterval(() => this.#bookmark(), bookmarkEveryMs)] : [];
    this.#timers = [ending, ...marking];
    for (const timer of this.#timers) timer.unref();
  }

  #bookmark(): void {
    if (!this.#wantsBookmarks || this.#watch === undefined) return;
    void this.#deliver([{ type: 'BOOKMARK', revision: this.#watch.revision(), isInitialEnd: false }]);
  }

  /** Purging a logical cluster writes no events; its watches end with it. Those of a view end with what it serves. */
  #endWithCluster(): void {
    const { kernel, cluster, view } = this.#call;
    const scope = { cluster: platformCluster, resource: logicalClusterResource, namespace: '', name: cluster };
    this.#stopListening = kernel.feed.listen(scope, events => {
      if (events.some(({ change }) => change.type === 'deleted')) this.#stream?.end();
      else if (view !== undefined) void this.#checkServed();
    });
  }

  async #checkServed(): Promise<void> {
    const { kernel, cluster, home, target } = this.#call;
    const kinds = (await kernel.views.find(cluster))?.kindsOf(await kernel.registry.of(home));
    if (kinds?.get(target.resource.kind.resource) === undefined)
      this.#fail(apiError('Expired', 'too old resource version: the resource is no longer served'));
  }

  #close(): void {
    this.#isClosed = true;
    this.#watch?.stop();
    this.#stopListening();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** The client's wish, or a random time between half an hour and an hour, so that clients do not come back all at once. */
function timeoutOf(query: URLSearchParams): number {
  const wanted = integerOf(query, 'timeoutSeconds');
  if (wanted !== undefined && wanted > 0) return Math.min(wanted, 2_000_000);
  return shortestDefaultSeconds * (1 + Math.random());
}
