import type { JsonObject } from '@chandlery/api';
import {
  auditOfRequest,
  auditVerbOf,
  type HttpHost,
  type HttpRequest,
  type RestAudit,
  RouteTable,
} from '@chandlery/http';
import { type Clock, type Logger, withCause } from '@chandlery/platform';
import { fleetError } from '../../errors.ts';
import { productNames } from '../../model/product-names.ts';
import { parseBody } from '../handlers/body-fields.ts';
import type { Call, FleetResponse, Method, ProductCall } from '../handlers/call.ts';
import type { ProductCatalog } from '../handlers/facade-deps.ts';
import type { Admission } from '../middleware/admission.ts';
import type { AuditTrail } from '../middleware/audit-trail.ts';
import { authenticate, type Identity, unauthenticated, type VerifyBearer } from '../middleware/bearer.ts';
import { senderName } from '../middleware/claims.ts';
import { isUnexpected, renderFleetError } from '../middleware/render-error.ts';
import { auditedCall, type Exchange, senderOf } from './exchange.ts';
import {
  closingSignal,
  commonHeaders,
  isPreflight,
  landscapeId,
  namesOf,
  pathOf,
  type Reply,
  send,
  sendPreflight,
} from './http-reply.ts';
import { noProduct, notFound, parsePath, routeFor } from './match-route.ts';
import type { LandscapeRoute, ProductRoute } from './route.ts';

/** An operator of the landscape; undefined for other clients. `isAnonymous`: the request has no valid credentials. */
export type FindOperator = (
  request: HttpRequest,
) => Promise<{ readonly username: string | undefined; readonly isAnonymous: boolean }>;

/** What serving the routes needs. */
export interface FleetServerDeps {
  readonly host: HttpHost;
  readonly productRoutes: readonly ProductRoute[];
  readonly landscapeRoutes: readonly LandscapeRoute[];
  readonly products: Pick<ProductCatalog, 'find'>;
  readonly verifyBearer: VerifyBearer;
  readonly findOperator: FindOperator;
  readonly admission: Admission;
  readonly audit: AuditTrail;
  /** Called for every request that may have changed something. Default: nothing is recorded. */
  readonly recordAudit?: ((entry: RestAudit) => void) | undefined;
  readonly newOperationId: () => string;
  /** Aborted when the process stops: polls end. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxBodyBytes = 1024 * 1024;

/** Serves all products below `/api`: authentication, route, admission, handler, response, in this order. */
export class FleetServer {
  readonly #deps: FleetServerDeps;
  readonly #productRoutes: RouteTable<ProductRoute>;
  readonly #landscapeRoutes: RouteTable<LandscapeRoute>;

  constructor(deps: FleetServerDeps) {
    this.#deps = deps;
    this.#productRoutes = new RouteTable(deps.productRoutes);
    this.#landscapeRoutes = new RouteTable(deps.landscapeRoutes);
    const { host, newOperationId } = deps;
    host.renderErrorsUnder('/api/', (error, request) => {
      const operationId = newOperationId();
      const { status, body, headers } = renderFleetError(error, namesOf(request), operationId);
      return { status, body: JSON.stringify(body), headers: { ...headers, ...commonHeaders(operationId) } };
    });
    host.app.all('/api/*', async (request, reply) => {
      await this.#serve(request, reply);
      return reply;
    });
  }

  async #serve(request: HttpRequest, reply: Reply): Promise<void> {
    const operationId = this.#deps.newOperationId();
    for (const [name, value] of Object.entries(commonHeaders(operationId))) reply.header(name, value);
    if (isPreflight(request)) return sendPreflight(reply);
    const startedAtMs = performance.now();
    let exchange: Exchange | undefined;
    try {
      const path = parsePath(pathOf(request));
      if (path === undefined) throw notFound();
      exchange = { request, reply, path, operationId };
      send(reply, await this.#respond(exchange));
    } catch (thrown) {
      if (isUnexpected(thrown))
        this.#deps.logger.error('a request failed unexpectedly', {
          operation: operationId,
          path: pathOf(request),
          error: thrown,
        });
      const { status, body, headers } = renderFleetError(thrown, namesOf(request), operationId);
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      send(reply, { status, body });
    } finally {
      if (exchange !== undefined) this.#recordAudit(exchange, startedAtMs);
    }
  }

  #recordAudit(exchange: Exchange, startedAtMs: number): void {
    const { request, reply, operationId, isReport = false } = exchange;
    const verb = auditVerbOf(request.method);
    // What a report changes is recorded where it is written.
    if (verb === undefined || isReport) return;
    const fields = auditOfRequest(request.raw, startedAtMs);
    const user = senderOf(exchange);
    this.#deps.recordAudit?.({
      ...fields,
      user,
      groups: [],
      verb,
      status: reply.raw.statusCode,
      correlationId: operationId,
    });
  }

  async #respond(exchange: Exchange): Promise<FleetResponse> {
    const { product, segments } = exchange.path;
    if (product === landscapeId) return this.#respondToOperator(exchange);
    const isAudited = segments[1] === 'admin' && this.#deps.products.find(product) !== undefined;
    return isAudited ? this.#respondAudited(exchange) : this.#respondForProduct(exchange, call => call());
  }

  async #respondToOperator(exchange: Exchange): Promise<FleetResponse> {
    const { request, reply, path } = exchange;
    const { username, isAnonymous } = await this.#deps.findOperator(request);
    if (isAnonymous) throw unauthenticated("this takes the administrator's token");
    const match = this.#landscapeRoutes.match(path.segments);
    const route = routeFor(match, request.method);
    if (username === undefined) throw fleetError(11, 'this is for operators of the landscape');
    this.#deps.host.identify(reply.raw, `operator:${username}`);
    exchange.operator = username;
    const call = { ...this.#callOf(exchange, route.method, match?.params ?? {}), username };
    return this.#withCause(exchange, () => route.handle(call));
  }

  /** Authentication and route, then whatever the family of the route demands, then `carryOut` around the handler. */
  async #respondForProduct(
    exchange: Exchange,
    carryOut: (handle: () => Promise<FleetResponse>, call: ProductCall) => Promise<FleetResponse>,
  ): Promise<FleetResponse> {
    const { request, reply, path } = exchange;
    const product = this.#deps.products.find(path.product);
    if (product === undefined) throw noProduct(path.product);
    const match = this.#productRoutes.match(path.segments, { collection: path.product });
    const isOpen = match?.routes.some(({ family }) => family === 'open') === true;
    if (!isOpen) exchange.identity = await this.#authenticate(request, reply);
    const route = routeFor(match, request.method);
    const names = productNames({ id: product.row.id, kind: product.row.spec.kind });
    const call = { ...this.#callOf(exchange, route.method, match?.params ?? {}), product, names };
    exchange.isReport = route.family === 'agent';
    const handle = await this.#admit(route, call, exchange.identity);
    return this.#withCause(exchange, () => carryOut(handle, call));
  }

  /** Runs what a request asks for; the audit log says who caused what it writes. */
  #withCause<T>(exchange: Exchange, work: () => T): T {
    return withCause({ component: 'fleet', user: senderOf(exchange), requestId: exchange.operationId }, work);
  }

  /** Returns the handler's work for a client that is admitted to the route. */
  async #admit(
    route: ProductRoute,
    call: ProductCall,
    identity: Identity | undefined,
  ): Promise<() => Promise<FleetResponse>> {
    const { admission } = this.#deps;
    if (identity === undefined || route.family === 'open' || route.family === 'token')
      return () => (route as Extract<ProductRoute, { family: 'open' | 'token' | 'admin' }>).handle(call);
    switch (route.family) {
      case 'user': {
        const caller = await admission.admitUser(call, identity, route.rules ?? {});
        return () => route.handle({ ...call, caller });
      }
      case 'admin':
        admission.admitAdmin(call, identity);
        return () => route.handle(call);
      case 'agent': {
        const cluster = admission.admitAgent(call, identity);
        return () => route.handle({ ...call, cluster });
      }
    }
  }

  /** Calls of the admin API have an entry in the audit trail, whether they are admitted or not. */
  async #respondAudited(exchange: Exchange): Promise<FleetResponse> {
    const { audit } = this.#deps;
    let isAdmitted = false;
    let complete: ((statusCode: number) => Promise<void>) | undefined;
    const finish = async (statusCode: number): Promise<void> => {
      if (complete !== undefined) return complete(statusCode);
      const call = auditedCall(exchange, this.#deps.clock.now());
      if (isAdmitted) audit.record(call, statusCode);
      else audit.recordRejected(call, statusCode);
    };
    try {
      const response = await this.#respondForProduct(exchange, async (handle, call) => {
        isAdmitted = true;
        if (call.method === 'PATCH') exchange.body = await call.readBody();
        if (call.method !== 'GET') complete = await audit.begin(auditedCall(exchange, this.#deps.clock.now()));
        return handle();
      });
      await finish(response.status);
      return response;
    } catch (thrown) {
      await finish(renderFleetError(thrown, namesOf(exchange.request), exchange.operationId).status);
      throw thrown;
    }
  }

  async #authenticate(request: HttpRequest, reply: Reply): Promise<Identity> {
    const { host, verifyBearer, clock } = this.#deps;
    const identity = await authenticate(request.headers.authorization, { verifyBearer, now: clock.now() });
    const origin = identity.type === 'verified' ? `${identity.issuer} ` : '';
    host.identify(reply.raw, `${origin}${senderName(identity) ?? ''}`);
    return identity;
  }

  #callOf(exchange: Exchange, method: Method, params: Call['params']): Call {
    const { request, reply, operationId } = exchange;
    const body: { read?: Promise<JsonObject> } = {};
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?'));
    const signal = AbortSignal.any([this.#deps.stopping, closingSignal(reply.raw)]);
    return {
      method,
      params,
      query,
      operationId,
      signal,
      readBody: () => (body.read ??= this.#readBody(exchange)),
    };
  }

  async #readBody({ request, reply }: Exchange): Promise<JsonObject> {
    return parseBody(await this.#deps.host.readBody(request.raw, reply.raw, maxBodyBytes));
  }
}
