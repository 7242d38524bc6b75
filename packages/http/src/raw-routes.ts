import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ChandleryError } from '@chandlery/api';
import { type Span, type Tracer, withSpan } from '@chandlery/platform';
import { type CommonHeaders, rawHeaders } from './common-headers.ts';
import { type RenderedError, renderJsonError } from './error-renderer.ts';
import { toRequestFailure } from './http-errors.ts';
import { findExcess, type HttpLimits } from './limits.ts';
import type { HttpLogger } from './logger.ts';
import type { HttpMetrics } from './request-metrics.ts';
import { startRequestSpan } from './request-spans.ts';

/**
 * Handles a request by itself, with the common headers unless it has others in their place. What it throws is answered
 * too, unless its own answer has begun.
 */
export type RawHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  common: CommonHeaders,
) => void | Promise<void>;

export interface RawRouteOptions {
  /** Names the class of a request in metrics: few different values. Default: the prefix. */
  readonly routeClass?: string | ((request: IncomingMessage) => string);
  /**
   * How errors look: those that the handler throws, and those of the host itself. Must not throw. Default: as where no
   * lens has its own.
   */
  readonly renderError?: (error: ChandleryError, request: IncomingMessage) => RenderedError;
}

/** A handler and how its requests are measured and its errors look. `prefix` is the default class of its requests. */
export interface RawRoute extends RawRouteOptions {
  readonly prefix: string;
  readonly handler: RawHandler;
}

/** What raw routes share with the rest of the host. */
export interface RawRoutesDeps {
  readonly logger: HttpLogger;
  readonly limits: HttpLimits;
  readonly active: { set(socket: Socket, response: ServerResponse): unknown };
  readonly isClosing: () => boolean;
  readonly metrics?: HttpMetrics | undefined;
  readonly tracer?: Tracer | undefined;
  readonly requestId?: (() => string) | undefined;
}

/** The routes that bypass the framework: their handlers get Node's request and response. */
export class RawRoutes {
  readonly #deps: RawRoutesDeps;
  /** Those with the longest prefix first. */
  readonly #routes: RawRoute[] = [];

  constructor(deps: RawRoutesDeps) {
    this.#deps = deps;
  }

  add(prefix: string, handler: RawHandler, options: RawRouteOptions): void {
    this.#routes.push({ ...options, prefix, handler });
    this.#routes.sort((left, right) => right.prefix.length - left.prefix.length);
  }

  /** Handles the request if it is one of ours; returns false when it is not. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const route = this.#find(request.url);
    if (route === undefined) return false;
    this.handle(route, request, response);
    return true;
  }

  /** Handles a request by a route, within the limits of the host. */
  handle(route: RawRoute, request: IncomingMessage, response: ServerResponse): void {
    const { active, limits, requestId = randomUUID, isClosing } = this.#deps;
    const common = rawHeaders(requestId());
    if (isClosing()) response.setHeader('connection', 'close');
    active.set(request.socket, response);
    this.#measure(route, request, response);
    const span = this.#startSpan(route, request, response);
    const answer = (): void | Promise<void> => route.handler(request, response, common);
    const fail = (thrown: unknown): void => this.#fail(thrown, route, { request, response, common });
    try {
      const excess = findExcess(request, limits);
      if (excess !== undefined) throw excess;
      // What has been answered by now needs no waiting.
      (span === undefined ? answer() : withSpan(span, answer))?.catch(fail);
    } catch (thrown) {
      fail(thrown);
    }
  }

  #startSpan(route: RawRoute, request: IncomingMessage, response: ServerResponse): Span | undefined {
    const { tracer } = this.#deps;
    if (tracer === undefined) return undefined;
    return startRequestSpan(tracer, {
      request,
      response,
      routeClass: classOf(route, request),
      // Streams of raw routes are few and short.
      isStream: () => false,
    });
  }

  #find(url = ''): RawRoute | undefined {
    for (const route of this.#routes) if (url.startsWith(route.prefix)) return route;
    return undefined;
  }

  #measure(route: RawRoute, request: IncomingMessage, response: ServerResponse): void {
    const { metrics } = this.#deps;
    if (metrics === undefined) return;
    const start = performance.now();
    response.on('close', () => {
      metrics.requestCompleted({
        method: request.method ?? '',
        routeClass: classOf(route, request),
        code: response.statusCode,
        seconds: (performance.now() - start) / 1000,
        isStream: false,
      });
    });
  }

  #fail(
    thrown: unknown,
    { renderError = renderJsonError }: RawRoute,
    { request, response, common }: { request: IncomingMessage; response: ServerResponse; common: CommonHeaders },
  ): void {
    const id = common['audit-id'] ?? '';
    const { error, isUnexpected } = toRequestFailure(thrown, id);
    const { status, body, contentType = 'application/json', headers = {} } = renderError(error, request);
    if (isUnexpected || status === 500) this.#log(thrown, request, id);
    if (response.writableEnded) return;
    // An answer that has begun cannot be taken back; cut off, it at least does not look complete.
    if (response.headersSent) return void response.destroy();
    response.writeHead(status, {
      ...common,
      ...headers,
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }

  #log(thrown: unknown, { method, url = '' }: IncomingMessage, id: string): void {
    const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    const path = url.split('?')[0];
    this.#deps.logger.error('a request failed unexpectedly', { request: id, method, path, error });
  }
}

const classOf = ({ routeClass, prefix }: RawRoute, request: IncomingMessage): string =>
  typeof routeClass === 'function' ? routeClass(request) : (routeClass ?? prefix);
