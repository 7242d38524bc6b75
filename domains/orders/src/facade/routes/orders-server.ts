import type { IncomingMessage } from 'node:http';
import {
  auditOfRequest,
  auditVerbOf,
  type HttpHost,
  type HttpRequest,
  type RestAudit,
  RouteTable,
} from '@chandlery/http';
import { type Logger, withCause } from '@chandlery/platform';
import { OrdersError } from '../../errors.ts';
import { readProxyPath } from '../../model/hosting/proxy-path.ts';
import { type Call, isInScope, type Method, type OrdersResponse, type Scope } from '../handlers/call.ts';
import type { Caller, FindCaller } from '../middleware/caller.ts';
import { isUnexpected, renderOrdersError } from '../middleware/render-error.ts';
import { scopeOf } from '../middleware/tenancy.ts';
import { endWhenRevoked } from './end-when-revoked.ts';
import { findRoute } from './match-route.ts';
import { requestBody } from './request-body.ts';
import type { OrdersRoute } from './route.ts';

/** The framework's reply. */
type Reply = Parameters<HttpHost['sendPieces']>[0];

/** What serving the routes needs. */
export interface OrdersServerDeps {
  readonly host: HttpHost;
  readonly routes: readonly OrdersRoute[];
  readonly findCaller: FindCaller;
  /** Called for every request that may have changed something. Default: nothing is recorded. */
  readonly audit?: (entry: RestAudit) => void;
  /** Aborted when the process stops: streams end. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/** The header, and the parameter of the query, by which a client chooses one of several namespaces. */
export const namespaceHeader = 'x-chandlery-namespace';
const namespaceParameter = 'namespace';

/** Methods that the API knows; Fastify answers others itself. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A rest of a body that is not longer than this is read and dropped, so that the client gets the response. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** Serves `/1/…`: route, authentication, tenancy and rights, handler, response, in this order. */
export class OrdersServer {
  readonly #deps: OrdersServerDeps;
  readonly #routes: RouteTable<OrdersRoute>;

  constructor(deps: OrdersServerDeps) {
    this.#deps = deps;
    this.#routes = new RouteTable(deps.routes);
    const { host } = deps;
    host.renderErrorsUnder('/1/', error => {
      const { status, body, headers } = renderOrdersError(error);
      return { status, body: body === undefined ? '' : JSON.stringify(body), headers };
    });
    host.app.route({
      method: [...methods],
      url: '/1/*',
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        await this.#serve(request, reply);
        return reply;
      },
    });
  }

  async #serve(request: HttpRequest, reply: Reply): Promise<void> {
    const startedAtMs = performance.now();
    const known: KnownCaller = { username: '' };
    try {
      await this.#send(request, reply, await this.#respond(request, reply, known));
    } catch (thrown) {
      const path = pathOf(request.url);
      if (isUnexpected(thrown)) this.#deps.logger.error('a request failed unexpectedly', { path, error: thrown });
      if (reply.sent) return this.#deps.logger.error('a response was cut off', { path, error: thrown });
      const { status, body, headers } = renderOrdersError(thrown);
      await this.#send(request, reply, { status, headers, ...(body === undefined ? {} : { body }) });
    } finally {
      this.#audit(request, { user: known.username, status: reply.raw.statusCode, startedAtMs });
    }
  }

  /** Requests that are passed on to processes of services change nothing here. */
  #audit({ raw, method, url, id }: HttpRequest, { user, status, startedAtMs }: AuditedResponse): void {
    const verb = auditVerbOf(method);
    if (verb === undefined || readProxyPath(url) !== undefined) return;
    const fields = auditOfRequest(raw, startedAtMs);
    this.#deps.audit?.({ ...fields, user, groups: [], verb, status, correlationId: id });
  }

  async #respond(request: HttpRequest, reply: Reply, known: KnownCaller): Promise<OrdersResponse> {
    const method = request.method as Method;
    const found = this.#find(method, pathOf(request.url));
    if (found.route?.access === 'open') return found.route.handle(this.#callOf(request, reply, found, nobody));
    const caller = await this.#deps.findCaller(request);
    if (caller === undefined) throw new OrdersError('unauthenticated', 'the request has no valid token');
    known.username = caller.username;
    this.#deps.host.identify(reply.raw, caller.username);
    if (found.route === undefined) throw found.error;
    const { route } = found;
    const access = found.route.access;
    const readScope = (caller: Caller): Scope => scopeOf(caller, access, requestedNamespace(request));
    const scope = readScope(caller);
    const call = this.#callOf(request, reply, found, { caller, scope });
    const cause = { component: 'orders', user: caller.username, requestId: request.id };
    const response = await withCause(cause, () => route.handle(call));
    const { followedTenant } = response;
    if (followedTenant !== undefined)
      endWhenRevoked(reply.raw, async () => {
        const present = await this.#deps.findCaller(request);
        return present !== undefined && isInScope(readScope(present), followedTenant);
      });
    return response;
  }

  /** Clients without credentials do not learn which paths there are. */
  #find(method: Method, path: string): FoundRoute {
    try {
      return findRoute(this.#routes, method, path);
    } catch (error) {
      return { route: undefined, params: {}, error };
    }
  }

  #callOf(
    request: HttpRequest,
    reply: Reply,
    { params }: FoundRoute,
    { caller, scope }: { readonly caller: Pick<Caller, 'username'>; readonly scope: Scope },
  ): Call {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return {
      method: request.method as Method,
      params,
      query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
      headers: request.headers,
      origin: originOf(request),
      url: request.url,
      clientAddress: request.raw.socket.remoteAddress ?? '',
      username: caller.username,
      scope,
      body: requestBody(this.#deps.host, request.raw, reply.raw),
      signal: AbortSignal.any([this.#deps.stopping, gone.signal]),
    };
  }

  async #send(request: HttpRequest, reply: Reply, response: OrdersResponse): Promise<void> {
    const { status, body, contentType, headers = {}, isForwarded = false, followedTenant } = response;
    if (!isForwarded) await settleBody(request.raw, reply);
    reply.code(status);
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    if (body === undefined || request.method === 'HEAD' || hasNoBody(status)) return sendHead(reply, response);
    reply.header('content-type', contentType ?? 'application/json');
    if (typeof body === 'object' && Symbol.asyncIterator in body) {
      return this.#sendPieces(reply, body, { isForwarded, isFollowed: followedTenant !== undefined });
    }
    reply.send(typeof body === 'string' ? body : JSON.stringify(body));
  }

  /** A stream of events may begin long after its head, which is not kept back. A process that ends cuts its responses. */
  async #sendPieces(
    reply: Reply,
    body: AsyncIterable<Uint8Array>,
    { isForwarded, isFollowed }: { readonly isForwarded: boolean; readonly isFollowed: boolean },
  ): Promise<void> {
    const { host, logger } = this.#deps;
    if (!isForwarded) return host.sendPieces(reply, body, { isHeadFlushed: isFollowed });
    await host.sendPieces(reply, body, { isHeadFlushed: true }).catch((error: unknown) => {
      logger.debug('a forwarded response was cut off', { error: String(error) });
    });
  }
}

interface KnownCaller {
  /** Filled when it is known. */
  username: string;
}

interface AuditedResponse {
  readonly user: string;
  readonly status: number;
  readonly startedAtMs: number;
}

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

type FoundRoute =
  | { readonly route: OrdersRoute; readonly params: Call['params'] }
  | { readonly route: undefined; readonly params: Call['params']; readonly error: unknown };

const nobody = { caller: { username: '' }, scope: { tenants: [], home: undefined } } as const;

/** A response without a body, which may state the length that one would have. */
function sendHead(reply: Reply, { status, body, contentType, headers = {} }: OrdersResponse): void {
  if (hasNoBody(status)) return void reply.send();
  const text = typeof body === 'object' && !(Symbol.asyncIterator in body) ? JSON.stringify(body) : '';
  if (body !== undefined) reply.header('content-type', contentType ?? 'application/json');
  const { 'content-length': given = Buffer.byteLength(text) } = headers;
  const length = String(given);
  reply.hijack();
  reply.raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), 'content-length': length });
  reply.raw.end();
}

/** A client that is still sending often reads no response: the rest of its body is dropped first, or the connection closed. */
async function settleBody(request: IncomingMessage, reply: Reply): Promise<void> {
  if (request.complete || request.readableEnded || request.destroyed) return;
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return;
  if (request.headers.expect !== undefined || Number(request.headers['content-length'] ?? 0) > maxDrainedBytes) {
    reply.header('connection', 'close');
    return;
  }
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > maxDrainedBytes) request.destroy();
  });
  await new Promise<void>(resolve => {
    request.once('close', resolve);
    request.once('end', resolve);
    request.resume();
  });
}

const pathOf = (url: string): string => url.split('?')[0] ?? '';

/** As the client knows it. A host that no URL can have is not repeated. */
function originOf({ raw, headers }: HttpRequest): string {
  const scheme = 'encrypted' in raw.socket ? 'https' : 'http';
  const { host = '' } = headers;
  return /^[\w.:[\]-]+$/.test(host) ? `${scheme}://${host}` : '';
}

function requestedNamespace({ headers, url }: HttpRequest): string | undefined {
  const header = headers[namespaceHeader];
  // The query of a request to a process is the process's.
  if (readProxyPath(url) !== undefined && typeof header !== 'string') return undefined;
  const named = typeof header === 'string' ? header : new URLSearchParams(url.split('?')[1]).get(namespaceParameter);
  return named === null || named === '' ? undefined : named;
}
