import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { apiError, notServed } from '@chandlery/api';
import { type HostCertificates, silentTracer, type Tracer, withSpan } from '@chandlery/platform';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { RequestBodies } from './bodies/request-bodies.ts';
import { setCommonHeaders } from './common-headers.ts';
import type { ErrorRenderer } from './error-renderer.ts';
import { ErrorSender } from './error-sender.ts';
import { type EventStream, type EventStreamOptions, EventStreams } from './event-stream.ts';
import { addHealthRoutes, type Readiness } from './health-routes.ts';
import { defaultLimits, findExcess, type HttpLimits } from './limits.ts';
import {
  type ListenerDeps,
  makePlainServer,
  makeSecureServer,
  startListening,
  type TlsMaterial,
  tlsOptions,
} from './listener.ts';
import type { HttpLogger } from './logger.ts';
import { PacedResponse } from './paced-response.ts';
import { type RawHandler, type RawRouteOptions, RawRoutes } from './raw-routes.ts';
import { addMetricsRoute, type HttpMetrics } from './request-metrics.ts';
import { startRequestSpan } from './request-spans.ts';
import { type SendOptions, sendPieces, writePieces } from './send-pieces.ts';
import { sniCallback } from './sni-contexts.ts';
import { StalledConnections } from './stalled-connections.ts';
import { stopServer } from './stop-server.ts';
import { UnreadResponses } from './unread-responses.ts';
import { type UpgradeHandler, type UpgradePath, Upgrades } from './upgrades.ts';
import { type VirtualHost, VirtualHosts } from './virtual-hosts.ts';

export interface HttpHostOptions {
  readonly logger: HttpLogger;
  /** Default {@link defaultLimits}; those given replace single ones. */
  readonly limits?: Partial<HttpLimits>;
  /** Asked by `/readyz`. */
  readonly readiness: Readiness;
  /** Default: requests are not counted and there is no `/metrics`. */
  readonly metrics?: HttpMetrics;
  /** Default: requests are not traced. */
  readonly tracer?: Tracer;
  /** Authorises readers of `/metrics`: rejects others. Default: all are rejected. */
  readonly authorizeOperator?: (request: FastifyRequest) => Promise<void>;
  /** Names the class of a request in metrics. Default: the pattern of its route. */
  readonly routeClass?: (request: FastifyRequest) => string;
  /** Default: a random UUID. */
  readonly requestId?: () => string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tls: TlsMaterial;
  /** Certificates of further host names, chosen by SNI. Default: the one of `tls` for all. */
  readonly hostCertificates?: HostCertificates;
}

/** The HTTP listeners of the process and the one set of routes behind them. */
export interface HttpHost {
  /** Where lenses add their routes, before the first `listen`. `request.body` is undefined: see {@link HttpHost.readBody}. */
  readonly app: FastifyInstance;
  /**
   * Sets the identity whose budgets a request counts against: one that clients cannot multiply at will. To be called as soon
   * as it is known; until then requests share the budgets of the anonymous identity.
   */
  identify(response: ServerResponse, identity: string): void;
  /**
   * Reads the body of a request; undefined when it has none. To be called once the client is known and may make the request:
   * nothing of a body is read before. Rejects with `TooManyRequests` when too many bodies are in memory, and
   * with `RequestEntityTooLarge`. `limitBytes`: default the host's limit; the budget of the identity limits it.
   */
  readBody(request: IncomingMessage, response: ServerResponse, limitBytes?: number): Promise<Buffer | undefined>;
  /**
   * Sends a response in pieces, each of which is produced when the client has read enough of those before and the budget
   * has room. Resolves when all of them were sent; a failure after the first cuts the connection.
   */
  sendPieces(reply: FastifyReply, pieces: AsyncIterable<Uint8Array>, options?: SendOptions): Promise<void>;
  /** Errors of requests whose path begins with `prefix` are shown by `render`; the longest prefix wins. */
  renderErrorsUnder(prefix: string, render: ErrorRenderer): void;
  /**
   * Requests whose URL begins with `prefix` go past `app` straight to the handler; the longest prefix wins. Limits, metrics
   * and the drain on `close` are the same as for all others; the common headers are given to the handler.
   */
  handleUnder(prefix: string, handler: RawHandler, options?: RawRouteOptions): void;
  /**
   * Requests to host names that the virtual host claims go to its handler, whatever their path: no route and no upgrade of
   * the host sees them. Limits, metrics and the drain on `close` are the same as for all others.
   */
  addVirtualHost(virtualHost: VirtualHost): void;
  /**
   * Sends a response that has no framework around it, in pieces, as {@link HttpHost.sendPieces}. Its head must have been
   * written.
   */
  sendRawPieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Gives WebSocket upgrades of exactly this path, or of all paths that it accepts, whatever the query, to the handler.
   * Other requests to upgrade are served as if they had not asked. The handler closes its connections when the host
   * closes; connections that are still open after the grace period are cut.
   */
  upgradeUnder(path: UpgradePath, handler: UpgradeHandler): void;
  /** Turns the reply into a stream of frames, which ends by itself when the host closes. */
  openStream(reply: FastifyReply, options?: EventStreamOptions): EventStream;
  /** How many streams are open. */
  readonly streamCount: number;
  /** Starts HTTPS. */
  listen(options: ListenOptions): Promise<AddressInfo>;
  /** Starts plain HTTP on 127.0.0.1, whatever else is reachable. */
  listenPlain(options: { readonly port: number }): Promise<AddressInfo>;
  /** New keys and certificates for connections made from now on. */
  renewTls(tls: TlsMaterial): void;
  /** Aborts when the host begins to close: requests that wait for something are answered then. */
  readonly stopping: AbortSignal;
  /**
   * Stops accepting, ends streams, lets requests under way finish for `graceMs` (default 10 000) and cuts the rest.
   * `/readyz` fails meanwhile. May be called twice.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Makes the host. Nothing listens yet. */
export function createHttpHost(options: HttpHostOptions): HttpHost {
  return new FastifyHost(options);
}

class FastifyHost implements HttpHost {
  readonly app: FastifyInstance;
  readonly #options: HttpHostOptions;
  readonly #limits: HttpLimits;
  readonly #errors: ErrorSender;
  readonly #streams = new EventStreams(end => this.#options.metrics?.streamEnded(end));
  readonly #streaming = new WeakSet<ServerResponse>();
  readonly #active = new WeakMap<Socket, ServerResponse>();
  readonly #rawRoutes: RawRoutes;
  readonly #virtualHosts = new VirtualHosts();
  readonly #upgrades: Upgrades;
  readonly #bodies: RequestBodies;
  readonly #unread: UnreadResponses;
  readonly #stalled: StalledConnections;
  readonly #servers = new Set<Server | SecureServer>();
  #secure: SecureServer | undefined;
  #handler: RequestListener = () => {};
  readonly #stopping = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: HttpHostOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#errors = new ErrorSender(options.logger);
    const { logger, metrics, tracer, requestId } = options;
    const isClosing = () => this.#closing !== undefined;
    const shared = { logger, limits: this.#limits, active: this.#active, isClosing };
    this.#rawRoutes = new RawRoutes({ ...shared, metrics, tracer, requestId });
    this.#upgrades = new Upgrades({
      ...shared,
      isElsewhere: request => this.#virtualHosts.find(request) !== undefined,
    });
    this.#bodies = new RequestBodies(this.#limits);
    this.#unread = new UnreadResponses(this.#limits);
    this.#stalled = new StalledConnections(this.#limits);
    this.app = this.#makeApp();
    this.#addBodyParser();
    this.#addHooks();
    this.#addErrorHandling();
    this.#addOwnRoutes();
  }

  renderErrorsUnder(prefix: string, render: ErrorRenderer): void {
    this.#errors.renderUnder(prefix, render);
  }

  handleUnder(prefix: string, handler: RawHandler, options: RawRouteOptions = {}): void {
    this.#rawRoutes.add(prefix, handler, options);
  }

  addVirtualHost(virtualHost: VirtualHost): void {
    this.#virtualHosts.add(virtualHost);
  }

  upgradeUnder(path: UpgradePath, handler: UpgradeHandler): void {
    this.#upgrades.add(path, handler);
  }

  identify(response: ServerResponse, identity: string): void {
    if (response instanceof PacedResponse) response.identity = identity;
  }

  readBody(
    request: IncomingMessage,
    response: ServerResponse,
    limitBytes = this.#limits.bodyBytes,
  ): Promise<Buffer | undefined> {
    return this.#bodies.read(
      request,
      response,
      Math.min(limitBytes, Math.max(this.#limits.bodyBytes, this.#limits.bodyBytesPerIdentity)),
    );
  }

  sendPieces(reply: FastifyReply, pieces: AsyncIterable<Uint8Array>, options?: SendOptions): Promise<void> {
    return sendPieces(reply, pieces, response => this.#unread.room(response), options);
  }

  sendRawPieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    return writePieces(response, pieces, paced => this.#unread.room(paced));
  }

  openStream(reply: FastifyReply, options: EventStreamOptions = {}): EventStream {
    this.#streaming.add(reply.raw);
    const stream = this.#streams.open(reply, options);
    if (this.#closing !== undefined) stream.end();
    return stream;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  async listen({ host, port, tls, hostCertificates }: ListenOptions): Promise<AddressInfo> {
    await this.app.ready();
    const chooseCertificate = hostCertificates && sniCallback(hostCertificates, tls.clientCa);
    const server = makeSecureServer(tls, { ...this.#listenerParts(), chooseCertificate });
    const address = await this.#start(server, host, port);
    this.#secure = server;
    return address;
  }

  async listenPlain({ port }: { readonly port: number }): Promise<AddressInfo> {
    await this.app.ready();
    return this.#start(makePlainServer(this.#listenerParts()), '127.0.0.1', port);
  }

  renewTls(tls: TlsMaterial): void {
    this.#secure?.setSecureContext(tlsOptions(tls));
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  close({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopping.abort();
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  #listenerParts(): ListenerDeps {
    const handler: RequestListener = (request, response) => {
      if (response instanceof PacedResponse) response.meter = this.#unread;
      const virtualHost = this.#virtualHosts.find(request);
      adoptAuthority(request);
      if (virtualHost !== undefined) return this.#rawRoutes.handle(virtualHost, request, response);
      if (!this.#rawRoutes.answer(request, response)) this.#handler(request, response);
    };
    return {
      handler,
      limits: this.#limits,
      active: this.#active,
      upgrades: this.#upgrades,
      stalled: this.#stalled,
    };
  }

  async #start(server: Server | SecureServer, host: string, port: number): Promise<AddressInfo> {
    const address = await startListening(server, host, port);
    this.#servers.add(server);
    return address;
  }

  async #drain(graceMs: number): Promise<void> {
    // Servers wait for these connections, but do not count them as theirs when they cut the rest.
    const cut = setTimeout(() => this.#upgrades.destroyAll(), graceMs);
    // Node takes a connection for idle as soon as its answer was ended, also while bytes of it wait to leave.
    await this.#streams.endAll(graceMs);
    await Promise.all([...this.#servers].map(server => stopServer(server, graceMs)));
    clearTimeout(cut);
    this.#stalled[Symbol.dispose]();
    await this.app.close();
  }

  #makeApp(): FastifyInstance {
    return fastify({
      // Fastify is given a server that never listens: ours share its handler and have limits of their own.
      serverFactory: handler => {
        this.#handler = handler;
        return createServer();
      },
      logger: false,
      genReqId: this.#options.requestId ?? (() => randomUUID()),
      return503OnClosing: false,
      bodyLimit: this.#limits.bodyBytes,
      routerOptions: { maxParamLength: this.#limits.urlBytes },
      frameworkErrors: (error, request, reply) => this.#errors.send(error, request, reply as FastifyReply),
    });
  }

  /** Handlers read bodies themselves, when they know from whom. */
  #addBodyParser(): void {
    this.app.removeAllContentTypeParsers();
    this.app.addContentTypeParser('*', async () => undefined);
  }

  #addHooks(): void {
    const { metrics, tracer = silentTracer, routeClass = patternOf } = this.#options;
    this.app.addHook('onRequest', (request, reply, done) => {
      this.#active.set(request.raw.socket, reply.raw);
      setCommonHeaders(request, reply);
      if (this.#closing !== undefined) reply.header('connection', 'close');
      const span = startRequestSpan(tracer, {
        request: request.raw,
        response: reply.raw,
        routeClass: routeClass(request),
        isStream: () => this.#streaming.has(reply.raw),
      });
      const excess = findExcess(request.raw, this.#limits);
      if (span === undefined) done(excess);
      else withSpan(span, () => done(excess));
    });
    if (metrics === undefined) return;
    this.app.addHook('onResponse', (request, reply, done) => {
      const { method } = request;
      const isStream = this.#streaming.has(reply.raw);
      metrics.requestCompleted({
        method,
        routeClass: routeClass(request),
        code: reply.raw.statusCode,
        seconds: reply.elapsedTime / 1000,
        isStream,
      });
      done();
    });
  }

  #addErrorHandling(): void {
    this.app.setErrorHandler((error, request, reply) => this.#errors.send(error, request, reply));
    this.app.setNotFoundHandler((request, reply) => {
      this.#errors.send(notServed(), request, reply);
    });
  }

  #addOwnRoutes(): void {
    const { readiness, metrics, authorizeOperator = refuseEverybody } = this.#options;
    addHealthRoutes(this.app, async () => {
      if (this.#closing !== undefined)
        return [{ name: 'shutdown', isOk: false, reason: 'the process is shutting down' }];
      return readiness();
    });
    if (metrics !== undefined) addMetricsRoute(this.app, { metrics, authorizeOperator });
  }
}

/** A request may name the host in its first line, as proxies are sent it: it counts in place of the header (RFC 9112, 3.2.2). */
function adoptAuthority(request: IncomingMessage): void {
  const [prefix, authority] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? [];
  if (prefix === undefined || authority === undefined) return;
  const path = request.url?.slice(prefix.length) ?? '';
  request.url = path.startsWith('/') ? path : `/${path}`;
  if (authority !== '') request.headers.host = authority;
}

const patternOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none';

const refuseEverybody = async (): Promise<void> => {
  throw apiError('Forbidden', 'metrics are for the operator only');
};
