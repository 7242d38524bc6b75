import { toError } from '@chandlery/api';
import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { Proxy } from '../ports.ts';
import { checkNames, checkView, tooManyNames, typeOfRequest } from './check-request.ts';
import type { DeadlineQueue } from './deadline-queue.ts';
import { acknowledge, judgeNonce } from './delivery.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamError, StreamMode, StreamPort } from './messages.ts';
import { nextAnswer } from './next-response.ts';
import type { TurnMemo } from './push-batch-cache.ts';
import { hasToWait, isUsingClusters, type Substreams } from './push-order.ts';
import { type ResponseCache, type ResponseContent, SharedResponse } from './response.ts';
import type { Answer, AnswerNeeds } from './response-deps.ts';
import type { StreamSettings } from './stream-settings.ts';
import { subscribeDelta, subscribeWhole } from './subscribe.ts';
import { Substream } from './substream.ts';
import type { ViewHub } from './view-hub.ts';
import type { XdsMetrics } from './xds-metrics.ts';

/** What all streams of a server have in common. */
export interface StreamNeeds {
  readonly settings: StreamSettings;
  readonly metrics: XdsMetrics;
  readonly cache: ResponseCache;
  /** Streams whose transport takes nothing. */
  readonly stalled: DeadlineQueue<DiscoveryStream>;
  /** Streams for which clusters are kept that are gone. */
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
  readonly needs: StreamNeeds;
}

/** One stream of one proxy: takes its requests and tells it what it has asked for, at the pace at which it answers. */
export class DiscoveryStream {
  readonly proxy: Proxy;
  readonly mode: StreamMode;
  readonly only: ResourceType | undefined;
  readonly hub: ViewHub<DiscoveryStream>;
  readonly openedAtMs: number;
  readonly substreams: Substreams<DiscoveryStream> = {};
  readonly #port: StreamPort;
  readonly #needs: StreamNeeds;
  #isClosed = false;
  #isStalled = false;
  #isGraceOver = false;

  constructor({ port, proxy, mode, only, hub, needs }: StreamOptions) {
    this.proxy = proxy;
    this.mode = mode;
    this.only = only;
    this.hub = hub;
    this.#port = port;
    this.#needs = needs;
    this.openedAtMs = needs.settings.clock.now().getTime();
  }

  onRequest(request: DiscoveryRequest | DeltaDiscoveryRequest): void {
    if (this.#isClosed) return;
    const type = typeOfRequest(request.typeUrl, this.only);
    if (typeof type === 'object') return this.end(type);
    if (type === undefined) return this.#needs.metrics.unknownTypes.inc();
    if (!this.#takeRepeated(type, request)) {
      const error = checkNames(request, this.#needs.settings.limits) ?? this.#take(type, request);
      if (error !== undefined) return this.end(error);
    }
    this.flush();
  }

  /** Tells what is to be told and can be told now, in the order in which a client can use it. */
  flush(memo?: TurnMemo): void {
    if (this.#isClosed || this.#isStalled) return;
    try {
      // Before pending changes are marked: what releases clusters is judged again by the routes in those changes.
      this.#releaseClusters();
      this.#markPending();
      for (const type of resourceTypes) this.#tellNext(type, memo);
      // Routes may have had nothing to tell after all.
      if (this.#releaseClusters()) this.#tellNext('cluster', memo);
    } catch (thrown) {
      this.#needs.settings.logger.error('cannot make configuration', {
        error: toError(thrown),
        proxy: this.proxy.nodeId,
      });
      this.end({ code: 'INTERNAL', message: 'the configuration could not be made; see the log of the control plane' });
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const substream of Object.values(this.substreams)) this.hub.leave(substream);
    this.#needs.stalled.delete(this);
    this.#needs.keeping.delete(this);
    this.#needs.onClose(this);
  }

  end(error: StreamError): void {
    if (this.#isClosed) return;
    this.close();
    this.#port.end(error);
  }

  /** Routes have not been answered in time: clusters that are gone are kept no longer. */
  endGrace(): void {
    this.#isGraceOver = true;
    this.flush();
  }

  /** True for an answer that changes nothing in the subscription: of many streams hardly anything else comes. */
  #takeRepeated(type: ResourceType, request: DiscoveryRequest | DeltaDiscoveryRequest): boolean {
    const substream = this.substreams[type];
    if (substream?.requested === undefined || !('resourceNames' in request)) return false;
    if (request.resourceNames !== substream.requested || request.responseNonce !== substream.nonce) return false;
    this.#acknowledge(substream, request);
    return true;
  }

  #take(type: ResourceType, request: DiscoveryRequest | DeltaDiscoveryRequest): StreamError | undefined {
    const isFirst = this.substreams[type] === undefined;
    const substream = (this.substreams[type] ??= new Substream<DiscoveryStream>(this, type));
    const verdict = judgeNonce(substream, request.responseNonce);
    if (verdict === 'expired') this.#needs.metrics.types[type].expiredNonces.inc();
    if (verdict === 'answer') this.#acknowledge(substream, request);
    const needs = { index: this.hub.index(type), meansAllByNothing: this.proxy.dialect === 'envoy' };
    if (!('resourceNames' in request)) subscribeDelta(substream, request, { ...needs, isFirst });
    else if (verdict !== 'expired')
      subscribeWhole(substream, request.resourceNames, { ...needs, onlyAdd: verdict === 'unprompted' });
    this.hub.noteWildcard(substream);
    const { limits } = this.#needs.settings;
    return this.#nameCount > limits.maxNames ? tooManyNames(limits.maxNames) : checkView(this.hub, limits);
  }

  get #nameCount(): number {
    return Object.values(this.substreams).reduce((sum, { names }) => sum + (names?.names.size ?? 0), 0);
  }

  #acknowledge(substream: Substream, { errorDetail }: DiscoveryRequest | DeltaDiscoveryRequest): void {
    const { clock, nowMs } = this.#needs.settings;
    const outcome = acknowledge(substream, errorDetail, clock.now().getTime());
    if (outcome === undefined) return;
    const metrics = this.#needs.metrics.types[substream.type];
    if (outcome.isRefused) metrics.refusals.inc();
    else if (outcome.changedAt !== undefined) metrics.changeToAck.observe((nowMs() - outcome.changedAt) / 1000);
    if (!substream.hasWork && !this.hub.hasPending) substream.recent = undefined;
  }

  /** What is told of clusters, listeners and routes must fit together: changes still being gathered belong to it. */
  #markPending(): void {
    if (!this.hub.hasPending) return;
    const { cluster, listener, route } = this.substreams;
    if (![cluster, listener, route].some(each => each?.hasWork && each.flight === undefined)) return;
    for (const substream of Object.values(this.substreams)) this.hub.markPending(substream);
  }

  #tellNext(type: ResourceType, memo: TurnMemo | undefined): void {
    const substream = this.substreams[type];
    if (substream === undefined || this.#isStalled || this.#isClosed) return;
    if (!substream.hasWork || hasToWait(substream, this.substreams)) return;
    const { changedAt } = substream;
    const answer = nextAnswer(substream, this.#answerNeeds(type, memo));
    if (type === 'cluster') this.#noteKept(substream);
    if (answer !== undefined) this.#send(substream, answer, changedAt);
  }

  #answerNeeds(type: ResourceType, memo: TurnMemo | undefined): AnswerNeeds {
    const { view, shelf } = this.hub;
    const generation = this.hub.generation(type);
    const share = (key: string, make: () => ResponseContent): SharedResponse => this.#share(type, key, make);
    return { mode: this.mode, view, shelf, generation, memo, keepsClusters: this.#keepsClusters, share };
  }

  #share(type: ResourceType, key: string, make: () => ResponseContent): SharedResponse {
    const { cache } = this.#needs;
    const fullKey = `${this.hub.stateKey(type)} ${key}`;
    const known = cache.get(fullKey);
    if (known !== undefined) return known;
    const response = new SharedResponse(make());
    if (this.hub.streamCount > 1) cache.add(fullKey, response);
    return response;
  }

  #send(substream: Substream, { response, news }: Answer, changedAt: number | undefined): void {
    const { nonce, frame } = response.messageAfter(substream.nonce);
    substream.nonce = nonce;
    substream.flight = { changedAt };
    substream.sentVersion = response.content.version;
    substream.sentAtMs = this.#needs.settings.clock.now().getTime();
    substream.sentCount++;
    this.#needs.metrics.types[substream.type].pushes.inc();
    if (substream.type === 'cluster') this.#forceEndpoints(news);
    if (!this.#port.send(frame)) this.#stall();
  }

  /** A cluster that is new or different is not used before its endpoints arrive, even if they are the same as before. */
  #forceEndpoints(clusters: Iterable<string>): void {
    const { endpoints } = this.substreams;
    if (endpoints === undefined) return;
    endpoints.force(new Set(Iterator.from(clusters).filter(name => endpoints.covers(name))));
  }

  #stall(): void {
    this.#isStalled = true;
    this.#needs.stalled.add(this);
    this.#port.onDrain(() => {
      this.#isStalled = false;
      this.#needs.stalled.delete(this);
      this.flush();
    });
  }

  get #keepsClusters(): boolean {
    return !this.#isGraceOver && isUsingClusters(this.substreams);
  }

  #noteKept({ held }: Substream): void {
    if (held.size > 0) return this.#needs.keeping.add(this);
    this.#needs.keeping.delete(this);
    this.#isGraceOver = false;
  }

  /** True when clusters that were kept can be told to be gone. */
  #releaseClusters(): boolean {
    const { cluster } = this.substreams;
    if (cluster === undefined || cluster.held.size === 0 || this.#keepsClusters) return false;
    cluster.isOutdated = true;
    return true;
  }
}
