import { apiError, isError } from '@chandlery/api';
import type { EventStream, HttpHost } from '@chandlery/http';
import { type Watch, type WatchItem, WatchLife } from '@chandlery/kernel';
import { booleanOf, integerOf, type ResourceCall, representation } from '../call.ts';
import { statusOfError } from '../status.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { type FrameWriter, frameWriter } from './frames.ts';

/** The shortest default time limit of a watch, as in Kubernetes. */
const minTimeoutSeconds = 1800;

/** Serves a watch request: headers first, then one line per event until timeout, failure or disconnection. */
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
  #life: WatchLife | undefined;
  #isClosed = false;
  /** The failure of a watch whose stream is not open yet. */
  #failure: unknown;

  constructor(call: ResourceCall, openStream: HttpHost['openStream']) {
    this.#call = call;
    this.#openStream = openStream;
    this.#frames = frameWriter(call, representation(call, 'resource'));
    this.#wantsBookmarks = booleanOf(call.query, 'allowWatchBookmarks') ?? false;
  }

  async run(): Promise<void> {
    const { calls, target, query } = this.#call;
    const sendInitialEvents = booleanOf(query, 'sendInitialEvents');
    const timeoutSeconds = timeoutOf(query);
    try {
      this.#watch = await calls.watch(
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
    this.#life = this.#begin(timeoutSeconds);
    if (this.#failure !== undefined) this.#fail(this.#failure);
  }

  /** Opens the stream with the first event, or when it is clear that the watch can be served. */
  #queueOf(): DeliveryQueue {
    if (this.#queue !== undefined) return this.#queue;
    this.#stream = this.#openStream(this.#call.reply, {
      headers: { 'content-type': 'application/json' },
      // The queue limits what is buffered.
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

  #begin(timeoutSeconds: number): WatchLife {
    const { kernel, cluster, view } = this.#call;
    return new WatchLife({
      feed: kernel.feed,
      cluster,
      hasBookmarks: this.#wantsBookmarks,
      timeoutSeconds,
      revision: () => this.#watch?.revision(),
      deliver: items => this.#deliver(items),
      isIdle: () => this.#queue?.isIdle ?? false,
      end: () => this.#stream?.end(),
      onClusterChange: view === undefined ? undefined : () => void this.#checkServed(),
    });
  }

  /** Ends a watch of a view that no longer serves the resource. */
  async #checkServed(): Promise<void> {
    const { kernel, cluster, home, target } = this.#call;
    const kinds = (await kernel.views.find(cluster))?.kindsOf(await kernel.registry.of(home));
    if (kinds?.get(target.resource.kind.resource) === undefined)
      this.#fail(apiError('Expired', 'too old resource version: the resource is no longer served'));
  }

  #close(): void {
    this.#isClosed = true;
    this.#watch?.stop();
    this.#life?.[Symbol.dispose]();
  }
}

/** The time limit of the request, or a random one between half an hour and an hour: clients must not reconnect at once. */
function timeoutOf(query: URLSearchParams): number {
  const wanted = integerOf(query, 'timeoutSeconds');
  if (wanted !== undefined && wanted > 0) return Math.min(wanted, 2_000_000);
  return minTimeoutSeconds * (1 + Math.random());
}
