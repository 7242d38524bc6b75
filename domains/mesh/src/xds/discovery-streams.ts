import { MetricsRegistry } from '@chandlery/platform';
import { createXdsMetrics, type XdsMetrics } from '../metrics.ts';
import type { ResourceType } from '../model/resource.ts';
import type { Proxy, ProxyView } from '../ports.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import { DiscoveryStream, type StreamDeps } from './discovery-stream.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamMode, StreamPort } from './messages.ts';
import { PushBatchCache } from './push-batch-cache.ts';
import { PushQueue } from './push-queue.ts';
import { ResponseCache } from './response.ts';
import { type DiscoveryStreamsOptions, type StreamSettings, streamSettings } from './stream-settings.ts';
import { type StreamStatus, statusOf } from './stream-status.ts';
import { ViewHub } from './view-hub.ts';

/** A stream that a transport has accepted. */
export interface OpenStreamRequest {
  readonly port: StreamPort;
  readonly proxy: Proxy;
  /** The view of the proxy. */
  readonly view: ProxyView;
  readonly mode: StreamMode;
  /** The type of the stream. Default: all types. */
  readonly only?: ResourceType;
}

/** A stream, as its transport sees it. */
export interface OpenStream {
  /**
   * Handles a request of the stream's mode. Resulting responses are sent before it returns, unless the transport is
   * blocked.
   */
  onRequest(request: DiscoveryRequest | DeltaDiscoveryRequest): void;
  /** To be called when the stream has ended for any reason. Calling it again has no effect. */
  close(): void;
}

/**
 * All discovery streams of a process, with their subscriptions and pending responses. It has no awareness of the
 * transport. Disposing of it drops all streams without ending them; transports do that.
 */
export interface DiscoveryStreams extends Disposable {
  open(request: OpenStreamRequest): OpenStream;
  /** Status of each stream, in the order of opening; to be consumed synchronously. */
  status(): Iterable<StreamStatus>;
  readonly count: number;
}

/** Creates the discovery streams of a server. Metrics are registered once for a metrics registry. */
export function createDiscoveryStreams(options: DiscoveryStreamsOptions = {}): DiscoveryStreams {
  return new Streams(options);
}

class Streams implements DiscoveryStreams {
  readonly #settings: StreamSettings;
  readonly #metrics: XdsMetrics;
  readonly #deps: StreamDeps;
  readonly #queue: PushQueue<DiscoveryStream>;
  readonly #open = new Set<DiscoveryStream>();
  readonly #hubs = new Map<ProxyView, ViewHub<DiscoveryStream>>();
  #lastHubId = 0;

  constructor(options: DiscoveryStreamsOptions) {
    this.#settings = streamSettings(options);
    this.#metrics = createXdsMetrics(options.metrics ?? new MetricsRegistry());
    const { timers, nowMs, limits } = this.#settings;
    this.#queue = new PushQueue(beginBatch, options.nextTick ?? (call => void setImmediate(call)));
    this.#deps = {
      settings: this.#settings,
      metrics: this.#metrics,
      cache: new ResponseCache(limits.maxCachedBytes),
      stalled: new DeadlineQueue(limits.stalledTimeoutMs, { timers, nowMs, onDue: stream => this.#endStalled(stream) }),
      keeping: new DeadlineQueue(limits.clusterGraceMs, { timers, nowMs, onDue: stream => stream.endGrace() }),
      onClose: stream => this.#forget(stream),
    };
  }

  get count(): number {
    return this.#open.size;
  }

  open({ port, proxy, view, mode, only }: OpenStreamRequest): OpenStream {
    const hub = this.#hubOf(view);
    hub.streamCount++;
    const stream = new DiscoveryStream({ port, proxy, mode, only, hub, deps: this.#deps });
    this.#open.add(stream);
    this.#metrics.streams[mode].inc();
    return stream;
  }

  *status(): Iterable<StreamStatus> {
    const nowMs = this.#settings.clock.now().getTime();
    for (const stream of this.#open) yield statusOf(stream, nowMs, this.#settings.limits.ackTimeoutMs);
  }

  [Symbol.dispose](): void {
    for (const stream of this.#open) stream.close();
    this.#deps.stalled.clear();
    this.#deps.keeping.clear();
    this.#deps.cache.clear();
  }

  #hubOf(view: ProxyView): ViewHub<DiscoveryStream> {
    const known = this.#hubs.get(view);
    if (known !== undefined) return known;
    const hub = new ViewHub<DiscoveryStream>({
      id: ++this.#lastHubId,
      view,
      settings: this.#settings,
      onPending: stream => this.#queue.add(stream),
      onPush: () => this.#queue.run(),
    });
    this.#hubs.set(view, hub);
    return hub;
  }

  #forget(stream: DiscoveryStream): void {
    const { hub, mode } = stream;
    this.#open.delete(stream);
    this.#queue.delete(stream);
    this.#metrics.streams[mode].dec();
    if (--hub.streamCount > 0) return;
    hub[Symbol.dispose]();
    this.#hubs.delete(hub.view);
  }

  #endStalled(stream: DiscoveryStream): void {
    const seconds = this.#settings.limits.stalledTimeoutMs / 1000;
    this.#metrics.stalled.inc();
    stream.end({ code: 'RESOURCE_EXHAUSTED', message: `nothing was read from this stream for ${seconds} seconds` });
  }
}

function beginBatch(): (stream: DiscoveryStream) => void {
  const cache = new PushBatchCache();
  return stream => stream.flush(cache);
}
