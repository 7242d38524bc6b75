import type { ResourceType } from '../../model/resource.ts';
import type { Proxy } from '../../ports.ts';
import type { DiscoveryStreams, OpenStream } from '../../xds/discovery-streams.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamMode } from '../../xds/messages.ts';
import type { Door, Guest } from '../connections/proxy-authenticator.ts';
import type { Decoded } from '../decode/decode-request.ts';
import type { RequestReader } from '../decode/request-reader.ts';
import type { CallContext, CallSession } from '../grpc/serve-call.ts';
import type { LatestCalls } from './latest-calls.ts';
import type { CallsUntilGone } from './mesh-calls.ts';

export interface DiscoverySessionOptions {
  readonly door: Door;
  readonly streams: DiscoveryStreams;
  readonly latestCalls: LatestCalls;
  readonly callsUntilGone: CallsUntilGone;
  readonly requests: RequestReader;
  /** Guests of all sessions that are open. */
  readonly guests: Map<Proxy, Guest>;
  readonly mode: StreamMode;
  /** Undefined: all types. */
  readonly only?: ResourceType;
}

type Request = DiscoveryRequest | DeltaDiscoveryRequest;

/** Brings a call and a stream together: the first request says who calls, all are passed on. */
export class DiscoverySession implements CallSession {
  readonly #options: DiscoverySessionOptions;
  readonly #context: CallContext;
  #stream: OpenStream | undefined;
  #leave: (() => void) | undefined;

  constructor(context: CallContext, options: DiscoverySessionOptions) {
    this.#options = options;
    this.#context = context;
    options.door.identify(context.connection);
  }

  onMessage(message: Buffer): void | Promise<void> {
    const decoded = this.#decode(message);
    if (!this.#stream) return this.#open(decoded);
    this.#stream.onRequest(decoded.request);
  }

  close(): void {
    this.#stream?.close();
    this.#leave?.();
    this.#stream = undefined;
    this.#leave = undefined;
  }

  #decode(message: Buffer): Decoded<Request> {
    const { requests, mode } = this.#options;
    return mode === 'delta' ? requests.readDelta(message) : requests.readWhole(message);
  }

  async #open({ node, request }: Decoded<Request>): Promise<void> {
    const { connection, signal, port } = this.#context;
    const guest = await this.#options.door.enter(connection, node, signal);
    if (signal.aborted || port.isEnded) {
      guest[Symbol.dispose]();
      return;
    }
    this.#leave = this.#register(guest);
    const { streams, mode, only } = this.#options;
    this.#stream = streams.open({ port, view: guest.view, proxy: guest.proxy, mode, ...(only && { only }) });
    this.#stream.onRequest(request);
  }

  #register(guest: Guest): () => void {
    const { method, connection, call } = this.#context;
    const { latestCalls, callsUntilGone, guests } = this.#options;
    const giveBack = latestCalls.claim(method, { proxy: guest.proxy, connection, call });
    const stopFollowing = callsUntilGone.add(guest.gone, call);
    guests.set(guest.proxy, guest);
    return () => {
      giveBack();
      stopFollowing();
      guests.delete(guest.proxy);
      if (connection.isRetired) guest.letReconnect();
      else guest[Symbol.dispose]();
    };
  }
}
