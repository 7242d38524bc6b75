import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isError, toError } from '@chandlery/api';
import { auditVerbOf, type HttpHost, type HttpRequest } from '@chandlery/http';
import { withCause } from '@chandlery/platform';
import { notFound, smError } from '../../../errors.ts';
import type { BrokerAudit, Caller } from '../../../ports.ts';
import type { BrokerSettings } from '../../../settings.ts';
import type { Authenticator } from '../../authentication/authenticator.ts';
import { auditFields } from '../../shared/audit-fields.ts';
import { correlationIdOf } from '../../shared/correlation-id.ts';
import { readJsonBody } from '../../shared/read-body.ts';
import { renderSmError, toSmError } from '../../shared/render-error.ts';
import { unauthorized } from '../access/tenants.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { checkId } from './check-id.ts';
import { withDeadline } from './deadline.ts';
import { type Reply, redirectsSlash, send } from './reply.ts';
import type { Call, HttpResponse, Method, PublicCall, Route } from './route.ts';

/** What serving routes needs. */
export interface RestServerOptions {
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly settings: Pick<BrokerSettings, 'requestTimeoutMs' | 'rateLimitExempt'>;
  readonly limiter: RateLimiter;
  readonly audit: (entry: BrokerAudit) => void;
  readonly platformName: (id: string) => string;
}

const prefix = '/v1';

/** Serves routes: every method of each path, and what all of them have in common. */
export class RestServer {
  readonly #options: RestServerOptions;

  constructor(options: RestServerOptions) {
    this.#options = options;
    const { app } = options.host;
    options.host.renderErrorsUnder(`${prefix}/`, renderSmError);
    app.all(`${prefix}/*`, async (request, reply) => {
      if (!redirectsSlash(request, reply)) throw notFound('address');
      return reply;
    });
  }

  /** Adds routes. To be called once for each path, with all its methods. */
  add(path: string, routes: readonly Route[]): void {
    this.#options.host.app.all(path, async (request, reply) => {
      if (!redirectsSlash(request, reply)) await this.#serve(routes, request, reply);
      return reply;
    });
  }

  async #serve(routes: readonly Route[], request: HttpRequest, reply: Reply): Promise<void> {
    const correlationId = correlationIdOf(request.headers, request.id);
    const startedAtMs = performance.now();
    const known: { caller?: Caller } = {};
    const audit = (status: number): void => {
      if (request.method === 'GET' || request.method === 'HEAD') return;
      this.#options.audit({
        ...auditFields(request.raw, { caller: known.caller, startedAtMs }),
        verb: auditVerbOf(request.method) ?? request.method,
        status,
        correlationId,
      });
    };
    try {
      const response = await this.#respond(routes, { request, reply, known, correlationId });
      send(reply, response, correlationId);
      audit(response.status);
    } catch (thrown) {
      audit(toSmError(toError(thrown)).status);
      throw thrown;
    }
  }

  async #respond(
    routes: readonly Route[],
    { request, reply, known, correlationId }: RequestContext,
  ): Promise<HttpResponse> {
    const route = routeFor(routes, request, reply);
    known.caller = await this.#callerOf(route, request.raw);
    if (known.caller !== undefined) this.#limit(known.caller, request, reply);
    const parts = partsOf(request, route.method, correlationId, await this.#bodyOf(request, reply, known.caller));
    const { requestTimeoutMs: timeoutMs } = this.#options.settings;
    const cause = { component: 'service-manager', user: known.caller?.username ?? '', requestId: correlationId };
    return withDeadline(reply.raw, timeoutMs, async signal => {
      const call: PublicCall = { ...parts, signal, ...known };
      return withCause(cause, () => (route.who === 'anybody' ? route.respond(call) : route.respond(call as Call)));
    });
  }

  async #bodyOf({ raw }: HttpRequest, reply: Reply, caller: Caller | undefined): Promise<Buffer | undefined> {
    const { host } = this.#options;
    if (caller !== undefined) host.identify(reply.raw, identityOf(caller));
    return host.readBody(raw, reply.raw);
  }

  /** Who asks. Rejects when the route is not for them. */
  async #callerOf({ who }: Route, raw: IncomingMessage): Promise<Caller | undefined> {
    const { authenticator } = this.#options;
    if (who === 'anybody') return raw.headers.authorization === undefined ? undefined : ofAnybody(authenticator, raw);
    const caller = await authenticator.authenticate(raw);
    const isForPlatforms = who === 'people-and-platforms' || who === 'platforms';
    if (caller.type === 'platform' && !isForPlatforms) throw unauthorized();
    if (caller.type !== 'platform' && who === 'platforms') throw unauthorized();
    if (who === 'operators' && caller.type !== 'operator')
      throw smError('Forbidden', `${caller.username} is no operator`);
    return caller;
  }

  #limit(caller: Caller, request: HttpRequest, reply: Reply): void {
    const { limiter, settings, platformName } = this.#options;
    const name = caller.type === 'platform' ? platformName(caller.platformId) : caller.username;
    if (caller.type === 'operator' || settings.rateLimitExempt.includes(name)) return;
    const path = request.url.split('?')[0] ?? '';
    const state = limiter.take({ user: identityOf(caller), method: request.method, path });
    if (state === undefined) return;
    reply.header('ratelimit-limit', String(state.limit));
    reply.header('ratelimit-remaining', String(state.remaining));
    reply.header('ratelimit-reset', String(state.resetSeconds));
    if (state.isAllowed) return;
    throw smError('TooManyRequests', `more than ${state.limit} requests; come back in ${state.resetSeconds} s`, {
      isRetryable: true,
      retryAfterSeconds: state.resetSeconds,
    });
  }
}

interface RequestContext {
  readonly request: HttpRequest;
  readonly reply: Reply;
  /** Filled as soon as the caller is known. */
  readonly known: { caller?: Caller };
  readonly correlationId: string;
}

/** The name under which what a caller uses is counted. */
const identityOf = (caller: Caller): string =>
  `${caller.type}:${caller.type === 'platform' ? caller.platformId : caller.username}`;

/** Invalid credentials are ignored on routes without authentication. */
async function ofAnybody(authenticator: Authenticator, raw: IncomingMessage): Promise<Caller | undefined> {
  try {
    return await authenticator.authenticate(raw);
  } catch (thrown) {
    if (isError(thrown, 'Unauthorized')) return undefined;
    throw thrown;
  }
}

function routeFor(routes: readonly Route[], { method }: HttpRequest, reply: Reply): Route {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = routes.find(candidate => candidate.method === wanted);
  if (route !== undefined) return route;
  reply.header('allow', routes.map(candidate => candidate.method).join(', '));
  throw smError('MethodNotAllowed', `${method} is not served here`);
}

function partsOf(
  request: HttpRequest,
  method: Method,
  correlationId: string,
  body: Buffer | undefined,
): Omit<PublicCall, 'signal' | 'caller'> {
  const { headers, url } = request;
  const [path = '', ...rest] = url.split('?');
  const params = request.params as Readonly<Record<string, string>>;
  for (const id of Object.values(params)) checkId(id);
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return {
    method,
    path,
    params,
    query: new URLSearchParams(rest.join('?')),
    headers,
    body: hasBody ? readJsonBody(body, headers['content-type']) : {},
    requestHash: hashOf(path, body),
    correlationId,
  };
}

function hashOf(path: string, body: Buffer | undefined): string {
  const hash = createHash('sha256').update(`${path}\n`);
  if (body !== undefined) hash.update(body);
  return hash.digest('base64url');
}
