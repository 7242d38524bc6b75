import { toError } from '@chandlery/api';
import type { XdsMetrics } from '../metrics.ts';
import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { Proxy } from '../ports.ts';
import { checkNames, checkView, tooManyNames, typeOfRequest } from './check-request.ts';
import type { DeadlineQueue } from './deadline-queue.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamError, StreamMode, StreamPort } from './messages.ts';
import { nextResponse } from './next-response.ts';
import type { PushBatchCache } from './push-batch-cache.ts';
import { hasToWait, isUsingClusters, type Substreams } from './push-order.ts';
import { type ResponseCache, type ResponseContent, SharedResponse } from './response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { StreamSettings } from './stream-settings.ts';
import { subscribeDelta, subscribeWhole } from './subscribe.ts';
import { Substream } from './substream.ts';
import type { ViewHub } from './view-hub.ts';

/** Dependencies that all streams of a server share. */
export interface StreamDeps {
  readonly settings: StreamSettings;
  readonly metrics: XdsMetrics;
  readonly cache: ResponseCache;
  /** Streams whose transport is blocked. */
  readonly stalled: DeadlineQueue<DiscoveryStream>;
  /** Streams for which removed clusters are retained. */
  readonly keeping: DeadlineQueue<DiscoveryStream>;
  /** Called once for each stream. */
  readonly onClose: (stream: DiscoveryStream) => void;
}

interface StreamOptions {
  readonly port: StreamPort;
  readonly proxy: Proxy;
  readonly mode: StreamMode;
  readonly only: ResourceType | undefined;
  readonly hub: ViewHub<DiscoveryStream>;
  readonly deps: StreamDeps;
}

/** One stream of one proxy: accepts its requests and sends responses, at most one in flight per type. */
export class DiscoveryStream {
  readonly proxy: Proxy;
  readonly mode: StreamMode;
  readonly only: ResourceType | undefined;
  readonly hub: ViewHub<DiscoveryStream>;
  readonly openedAtMs: number;
  readonly substreams: Substreams<DiscoveryStream> = {};
  readonly #port: StreamPort;
  readonly #deps: StreamDeps;
  #isClosed = false;
  #isStalled = false;
  #isGraceOver = false;

  constructor({ port, proxy, mode, only, hub, deps }: StreamOptions) {
    this.proxy = proxy;
    this.mode = mode;
    this.only = only;
    this.hub = hub;
    this.#port = port;
    this.#deps = deps;
    this.openedAtMs = deps.settings.clock.now().getTime();
  }

  onRequest(request: DiscoveryRequest | DeltaDiscoveryRequest): void {
    if (this.#isClosed) return;
    const type = typeOfRequest(request.typeUrl, this.only);
    if (typeof type === 'object') return this.end(type);
    if (type === undefined) return this.#deps.metrics.unknownTypes.inc();
    if (!this.#acceptRepeated(type, request)) {
      const error = checkNames(request, this.#deps.settings.limits) ?? this.#accept(type, request);
      if (error !== undefined) return this.end(error);
    }
    this.flush();
  }

  /** Sends all pending responses that can be sent now, in the order that clients require. */
  flush(cache?: PushBatchCache): void {
    if (this.#isClosed || this.#isStalled) return;
    try {
      // Before pending changes are marked: whether clusters are released depends on the routes in those changes.
      this.#releaseClusters();
      this.#markPending();
      for (const type of resourceTypes) this.#sendNext(type, cache);
      // Routes may have turned out to have no pending change.
      if (this.#releaseClusters()) this.#sendNext('cluster', cache);
    } catch (thrown) {
      this.#deps.settings.logger.error('cannot create configuration', {
        error: toError(thrown),
        proxy: this.proxy.nodeId,
      });
      this.end({
        code: 'INTERNAL',
        message: 'the configuration could not be created; see the log of the control plane',
      });
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const substream of Object.values(this.substreams)) this.hub.leave(substream);
    this.#deps.stalled.delete(this);
    this.#deps.keeping.delete(this);
    this.#deps.onClose(this);
  }

  end(error: StreamError): void {
    if (this.#isClosed) return;
    this.close();
    this.#port.end(error);
  }

  /** To be called when routes were not acknowledged in time: removed clusters are no longer retained. */
  endGrace(): void {
    this.#isGraceOver = true;
    this.flush();
  }

  /**
   * Handles an ACK that does not change the subscription, which is by far the most frequent request. Returns false for
   * others.
   */
  #acceptRepeated(type: ResourceType, request: DiscoveryRequest | DeltaDiscoveryRequest): boolean {
    const substream = this.substreams[type];
    if (substream?.lastNames === undefined || !('resourceNames' in request)) return false;
    if (request.resourceNames !== substream.lastNames || request.responseNonce !== substream.delivery.nonce)
      return false;
    this.#acknowledge(substream, request);
    return true;
  }

  #accept(type: ResourceType, request: DiscoveryRequest | DeltaDiscoveryRequest): StreamError | undefined {
    const isFirst = this.substreams[type] === undefined;
    const substream = (this.substreams[type] ??= new Substream<DiscoveryStream>(this, type));
    const relation = substream.delivery.relationOf(request.responseNonce);
    if (relation === 'expired') this.#deps.metrics.types[type].expiredNonces.inc();
    if (relation === 'latest') this.#acknowledge(substream, request);
    const options = { index: this.hub.index(type), meansAllByNothing: this.proxy.dialect === 'envoy' };
    if (!('resourceNames' in request)) subscribeDelta(substream, request, { ...options, isFirst });
    else if (relation !== 'expired')
      subscribeWhole(substream, request.resourceNames, { ...options, onlyAdd: relation === 'none' });
    this.hub.noteWildcard(substream);
    const { limits } = this.#deps.settings;
    return this.#nameCount > limits.maxNames ? tooManyNames(limits.maxNames) : checkView(this.hub, limits);
  }

  get #nameCount(): number {
    return Object.values(this.substreams).reduce((sum, { names }) => sum + (names?.names.size ?? 0), 0);
  }

  #acknowledge(substream: Substream, { errorDetail }: DiscoveryRequest | DeltaDiscoveryRequest): void {
    const { clock, nowMs } = this.#deps.settings;
    const result = substream.delivery.acknowledge(errorDetail, clock.now().getTime());
    if (result === undefined) return;
    const metrics = this.#deps.metrics.types[substream.type];
    if (result.isRejected) metrics.nacks.inc();
    else if (result.changedAt !== undefined) metrics.changeToAck.observe((nowMs() - result.changedAt) / 1000);
    if (!substream.hasPending && !this.hub.hasPending) substream.lastSent = undefined;
  }

  /** Clusters, listeners and routes must be consistent: when one is sent, debounced changes of all are included. */
  #markPending(): void {
    if (!this.hub.hasPending) return;
    const { cluster, listener, route } = this.substreams;
    if (![cluster, listener, route].some(each => each?.hasPending && !each.delivery.isInFlight)) return;
    for (const substream of Object.values(this.substreams)) this.hub.markPending(substream);
  }

  #sendNext(type: ResourceType, cache: PushBatchCache | undefined): void {
    const substream = this.substreams[type];
    if (substream === undefined || this.#isStalled || this.#isClosed) return;
    if (!substream.hasPending || hasToWait(substream, this.substreams)) return;
    const { changedAt } = substream;
    const next = nextResponse(substream, this.#responseDeps(type, cache));
    if (type === 'cluster') this.#trackRetained(substream);
    if (next !== undefined) this.#send(substream, next, changedAt);
  }

  #responseDeps(type: ResourceType, cache: PushBatchCache | undefined): ResponseDeps {
    const { view, snapshots } = this.hub;
    const generation = this.hub.generation(type);
    const share = (key: string, make: () => ResponseContent): SharedResponse => this.#share(type, key, make);
    return { mode: this.mode, view, snapshots, generation, cache, keepsClusters: this.#keepsClusters, share };
  }

  #share(type: ResourceType, key: string, make: () => ResponseContent): SharedResponse {
    const { cache } = this.#deps;
    const fullKey = `${this.hub.stateKey(type)} ${key}`;
    const known = cache.get(fullKey);
    if (known !== undefined) return known;
    const response = new SharedResponse(make());
    if (this.hub.streamCount > 1) cache.add(fullKey, response);
    return response;
  }

  #send(substream: Substream, { response, updatedNames }: NextResponse, changedAt: number | undefined): void {
    const { delivery } = substream;
    const { nonce, frame } = response.messageAfter(delivery.nonce);
    const atMs = this.#deps.settings.clock.now().getTime();
    delivery.recordSent({ nonce, version: response.content.version, atMs, changedAt });
    this.#deps.metrics.types[substream.type].pushes.inc();
    if (substream.type === 'cluster') this.#forceEndpoints(updatedNames);
    if (!this.#port.send(frame)) this.#stall();
  }

  /** Clients do not use a new or changed cluster before they receive its endpoints, even if these have not changed. */
  #forceEndpoints(clusters: Iterable<string>): void {
    const { endpoints } = this.substreams;
    if (endpoints === undefined) return;
    endpoints.force(new Set(Iterator.from(clusters).filter(name => endpoints.covers(name))));
  }

  #stall(): void {
    this.#isStalled = true;
    this.#deps.stalled.add(this);
    this.#port.onDrain(() => {
      this.#isStalled = false;
      this.#deps.stalled.delete(this);
      this.flush();
    });
  }

  get #keepsClusters(): boolean {
    return !this.#isGraceOver && isUsingClusters(this.substreams);
  }

  #trackRetained({ retained }: Substream): void {
    if (retained.size > 0) return this.#deps.keeping.add(this);
    this.#deps.keeping.delete(this);
    this.#isGraceOver = false;
  }

  /** Returns true when retained clusters can be removed. */
  #releaseClusters(): boolean {
    const { cluster } = this.substreams;
    if (cluster === undefined || cluster.retained.size === 0 || this.#keepsClusters) return false;
    cluster.isOutdated = true;
    return true;
  }
}
