import type { ResourceType } from '../../model/resource.ts';
import type { Proxy } from '../../ports.ts';
import type { DiscoveryStreams, OpenStream } from '../../xds/discovery-streams.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamMode } from '../../xds/messages.ts';
import type { ConnectedClient, ProxyAuthenticator } from '../connections/proxy-authenticator.ts';
import type { Decoded } from '../decode/decode-request.ts';
import type { RequestReader } from '../decode/request-reader.ts';
import type { CallContext, CallSession } from '../grpc/serve-call.ts';
import type { LatestCalls } from './latest-calls.ts';
import type { MeshCalls } from './mesh-calls.ts';

export interface DiscoverySessionOptions {
  readonly authenticator: ProxyAuthenticator;
  readonly streams: DiscoveryStreams;
  readonly latestCalls: LatestCalls;
  readonly meshCalls: MeshCalls;
  readonly requests: RequestReader;
  /** Clients of all open sessions. */
  readonly clients: Map<Proxy, ConnectedClient>;
  readonly mode: StreamMode;
  /** Default: all types. */
  readonly only?: ResourceType;
}

type Request = DiscoveryRequest | DeltaDiscoveryRequest;

/** Connects a call with a discovery stream: the first request registers the proxy, then all are forwarded. */
export class DiscoverySession implements CallSession {
  readonly #options: DiscoverySessionOptions;
  readonly #context: CallContext;
  #stream: OpenStream | undefined;
  #leave: (() => void) | undefined;

  constructor(context: CallContext, options: DiscoverySessionOptions) {
    this.#options = options;
    this.#context = context;
    options.authenticator.authenticate(context.connection);
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
    const client = await this.#options.authenticator.connectProxy(connection, node, signal);
    if (signal.aborted || port.isEnded) {
      client[Symbol.dispose]();
      return;
    }
    this.#leave = this.#register(client);
    const { streams, mode, only } = this.#options;
    this.#stream = streams.open({ port, view: client.view, proxy: client.proxy, mode, ...(only && { only }) });
    this.#stream.onRequest(request);
  }

  #register(client: ConnectedClient): () => void {
    const { method, connection, call } = this.#context;
    const { latestCalls, meshCalls, clients } = this.#options;
    const giveBack = latestCalls.claim(method, { proxy: client.proxy, connection, call });
    const stopFollowing = meshCalls.add(client.closed, call);
    clients.set(client.proxy, client);
    return () => {
      giveBack();
      stopFollowing();
      clients.delete(client.proxy);
      if (connection.isRetired) client.releaseForReconnect();
      else client[Symbol.dispose]();
    };
  }
}
