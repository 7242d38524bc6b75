import { toError } from '@chandlery/api';
import type { XdsMetrics } from '../metrics.ts';
import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { Proxy } from '../ports.ts';
import { checkNames, checkView, tooManyNames, typeOfRequest } from './check-request.ts';
import type { DeadlineQueue } from './deadline-queue.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamError, StreamMode, StreamPort } from './messages.ts';
import { nextResponse } from './next-response.ts';
import type { PushBatchCache } from './push-batch-cache.ts';
import { isUsingClusters, mustWait, type TypeSubscriptions } from './push-order.ts';
import { type ResponseCache, type ResponseContent, SharedResponse } from './response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { StreamSettings } from './stream-settings.ts';
import { subscribeDelta, subscribeWhole } from './subscribe.ts';
import { TypeSubscription } from './type-subscription.ts';
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
  readonly subscriptions: TypeSubscriptions<DiscoveryStream> = {};
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
    for (const subscription of Object.values(this.subscriptions)) this.hub.leave(subscription);
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
    const subscription = this.subscriptions[type];
    if (subscription?.lastNames === undefined || !('resourceNames' in request)) return false;
    if (request.resourceNames !== subscription.lastNames || request.responseNonce !== subscription.delivery.nonce)
      return false;
    this.#acknowledge(subscription, request);
    return true;
  }

  #accept(type: ResourceType, request: DiscoveryRequest | DeltaDiscoveryRequest): StreamError | undefined {
    const isFirst = this.subscriptions[type] === undefined;
    const subscription = (this.subscriptions[type] ??= new TypeSubscription<DiscoveryStream>(this, type));
    const relation = subscription.delivery.relationOf(request.responseNonce);
    if (relation === 'expired') this.#deps.metrics.types[type].expiredNonces.inc();
    if (relation === 'latest') this.#acknowledge(subscription, request);
    const options = { index: this.hub.index(type), meansAllByNothing: this.proxy.dialect === 'envoy' };
    if (!('resourceNames' in request)) subscribeDelta(subscription, request, { ...options, isFirst });
    else if (relation !== 'expired')
      subscribeWhole(subscription, request.resourceNames, { ...options, onlyAdd: relation === 'none' });
    this.hub.noteWildcard(subscription);
    const { limits } = this.#deps.settings;
    return this.#nameCount > limits.maxNames ? tooManyNames(limits.maxNames) : checkView(this.hub, limits);
  }

  get #nameCount(): number {
    return Object.values(this.subscriptions).reduce((sum, { names }) => sum + (names?.names.size ?? 0), 0);
  }

  #acknowledge(subscription: TypeSubscription, { errorDetail }: DiscoveryRequest | DeltaDiscoveryRequest): void {
    const { clock, nowMs } = this.#deps.settings;
    const result = subscription.delivery.acknowledge(errorDetail, clock.now().getTime());
    if (result === undefined) return;
    const metrics = this.#deps.metrics.types[subscription.type];
    if (result.isRejected) metrics.nacks.inc();
    else if (result.changedAt !== undefined) metrics.changeToAck.observe((nowMs() - result.changedAt) / 1000);
    if (!subscription.hasPending && !this.hub.hasPending) subscription.lastSent = undefined;
  }

  /** Clusters, listeners and routes must be consistent: when one is sent, debounced changes of all are included. */
  #markPending(): void {
    if (!this.hub.hasPending) return;
    const { cluster, listener, route } = this.subscriptions;
    if (![cluster, listener, route].some(each => each?.hasPending && !each.delivery.isInFlight)) return;
    for (const subscription of Object.values(this.subscriptions)) this.hub.markPending(subscription);
  }

  #sendNext(type: ResourceType, cache: PushBatchCache | undefined): void {
    const subscription = this.subscriptions[type];
    if (subscription === undefined || this.#isStalled || this.#isClosed) return;
    if (!subscription.hasPending || mustWait(subscription, this.subscriptions)) return;
    const { changedAt } = subscription;
    const next = nextResponse(subscription, this.#responseDeps(type, cache));
    if (type === 'cluster') this.#trackRetained(subscription);
    if (next !== undefined) this.#send(subscription, next, changedAt);
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

  #send(subscription: TypeSubscription, { response, updatedNames }: NextResponse, changedAt: number | undefined): void {
    const { delivery } = subscription;
    const { nonce, frame } = response.messageAfter(delivery.nonce);
    const atMs = this.#deps.settings.clock.now().getTime();
    delivery.recordSent({ nonce, version: response.content.version, atMs, changedAt });
    this.#deps.metrics.types[subscription.type].pushes.inc();
    if (subscription.type === 'cluster') this.#forceEndpoints(updatedNames);
    if (!this.#port.send(frame)) this.#stall();
  }

  /** Clients do not use a new or changed cluster before they receive its endpoints, even if these have not changed. */
  #forceEndpoints(clusters: Iterable<string>): void {
    const { endpoints } = this.subscriptions;
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
    return !this.#isGraceOver && isUsingClusters(this.subscriptions);
  }

  #trackRetained({ retained }: TypeSubscription): void {
    if (retained.size > 0) return this.#deps.keeping.add(this);
    this.#deps.keeping.delete(this);
    this.#isGraceOver = false;
  }

  /** Returns true when retained clusters can be removed. */
  #releaseClusters(): boolean {
    const { cluster } = this.subscriptions;
    if (cluster === undefined || cluster.retained.size === 0 || this.#keepsClusters) return false;
    cluster.isOutdated = true;
    return true;
  }
}
