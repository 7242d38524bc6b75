import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toError } from '@chandlery/api';
import type { CommonHeaders, HttpHost } from '@chandlery/http';
import { type Logger, withCause } from '@chandlery/platform';
import { SmError } from '../../errors.ts';
import type { ContextSigner } from '../../model/osb/context-signature.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerAudit, BrokerConnections, OsbRequestMetrics, PlatformCaller } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { auditFields } from '../shared/audit-fields.ts';
import { correlationIdOf } from '../shared/correlation-id.ts';
import { isKnown } from '../shared/etag.ts';
import { maxBodyBytes } from '../shared/read-body.ts';
import { toSmError } from '../shared/render-error.ts';
import { admit } from './admit.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { dispatchCall } from './dispatch-call.ts';
import { createMitigation } from './mitigation.ts';
import type { OsbCall, OsbDeps } from './osb-call.ts';
import { errorResponse, type OsbResponse, sendResponse } from './osb-response.ts';
import { allowedFor, type OsbTarget, operationOf, parseOsbTarget } from './osb-target.ts';
import { createRequestCoalescer } from './request-coalescer.ts';

/** What the façade is built from. */
export interface OsbFacadeOptions {
  /** Reads the bodies of requests. */
  readonly host: Pick<HttpHost, 'identify' | 'readBody'>;
  readonly registry: Registry;
  readonly connections: BrokerConnections;
  readonly authenticator: Authenticator;
  readonly catalogCache: CatalogCache;
  /** Undefined: contexts are not signed. */
  readonly signer: ContextSigner | undefined;
  readonly settings: BrokerSettings;
  /** Called for every request that may have changed something. */
  readonly audit: (entry: BrokerAudit) => void;
  /** Default: requests are not measured. */
  readonly requestMetrics?: OsbRequestMetrics | undefined;
  readonly logger: Logger;
}

/** Every registered broker, as a broker for every platform, under `/v1/osb/{broker id}`. */
export interface OsbFacade extends Disposable {
  /** Answers a request whose path begins with `/v1/osb/`. Never throws. `common`: headers of every answer. */
  handle(request: IncomingMessage, response: ServerResponse, common: CommonHeaders): void;
}

/** Makes the façade. Disposing of it ends what it does in the background; requests under way are still answered. */
export function createOsbFacade(options: OsbFacadeOptions): OsbFacade {
  const { registry, connections, signer, settings, logger } = options;
  const coalescers = { instances: createRequestCoalescer(), bindings: createRequestCoalescer() };
  const mitigation = createMitigation({ connections, coalescers, settings, logger });
  const deps: OsbDeps = { registry, connections, signer, settings, logger, coalescers, mitigation };
  return {
    handle: (request, response, common) => new Exchange(options, deps, { request, response, common }).begin(),
    [Symbol.dispose]: () => mitigation[Symbol.dispose](),
  };
}

interface SentChange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly common: CommonHeaders;
}

/** One request and its answer. What needs no waiting is answered at once, without a promise. */
class Exchange {
  readonly #options: OsbFacadeOptions;
  readonly #deps: OsbDeps;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #common: CommonHeaders;
  readonly #target: OsbTarget;
  readonly #correlationId: string;
  readonly #startedAtMs = performance.now();
  #caller: PlatformCaller | undefined;

  constructor(options: OsbFacadeOptions, deps: OsbDeps, { request, response, common }: SentChange) {
    this.#options = options;
    this.#deps = deps;
    this.#request = request;
    this.#response = response;
    this.#common = common;
    this.#target = parseOsbTarget(request.url ?? '');
    this.#correlationId = correlationIdOf(request.headers, common['audit-id'] ?? '') || randomUUID();
  }

  begin(): void {
    try {
      const caller = this.#options.authenticator.authenticateOsb(this.#target.brokerId, this.#request);
      if (!(caller instanceof Promise)) return this.#admit(caller);
      caller.then(known => this.#admit(known)).catch(this.#fail);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #admit(caller: PlatformCaller): void {
    this.#caller = caller;
    this.#options.host.identify(this.#response, `platform:${caller.platformId}`);
    const { registry } = this.#deps;
    const call = admit(registry, {
      request: this.#request,
      target: this.#target,
      caller,
      correlationId: this.#correlationId,
    });
    if (call.route.type === 'catalog') return this.#send(this.#catalogFor(call));
    void this.#respond(call);
  }

  #catalogFor({ broker, platform, headers }: Omit<OsbCall, 'body'>): OsbResponse {
    const { bytes, etag } = this.#options.catalogCache.get(broker, platform);
    return { status: isKnown(headers, etag) ? 304 : 200, headers: { etag }, body: bytes };
  }

  async #respond(call: Omit<OsbCall, 'body'>): Promise<void> {
    try {
      const hasBody = call.method !== 'GET' && call.method !== 'DELETE';
      const { host } = this.#options;
      const body = hasBody ? await host.readBody(this.#request, this.#response, maxBodyBytes) : undefined;
      const cause = { component: 'osb', user: this.#caller?.username ?? '', requestId: this.#correlationId };
      this.#send(await withCause(cause, () => dispatchCall({ ...call, body }, this.#deps)));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  readonly #fail = (thrown: unknown): void => {
    const error = toSmError(toError(thrown));
    const isUnforeseen = !(thrown instanceof SmError) || thrown.cause !== undefined;
    if (error.status >= 500 && isUnforeseen) {
      const cause = thrown instanceof SmError ? thrown.cause : thrown;
      this.#options.logger.error('a request of a platform failed', {
        correlationId: this.#correlationId,
        path: this.#target.path,
        error: cause,
      });
    }
    this.#send(errorResponse(error, allowedFor(this.#target)));
  };

  #send(response: OsbResponse): void {
    sendResponse(this.#response, response, this.#framing());
    this.#measure(response.status);
    this.#audit(response.status);
  }

  #measure(status: number): void {
    const { requestMetrics } = this.#options;
    if (requestMetrics === undefined) return;
    const operation = operationOf(this.#target, this.#request.method ?? '');
    requestMetrics(operation, status, (performance.now() - this.#startedAtMs) / 1000);
  }

  /** What every answer says, and what the platform called its request, back to it. */
  #framing(): Record<string, string> {
    const framing: Record<string, string> = { ...this.#common, 'x-correlation-id': this.#correlationId };
    const identity = this.#request.headers['x-broker-api-request-identity'];
    if (typeof identity === 'string') framing['x-broker-api-request-identity'] = identity;
    return framing;
  }

  #audit(status: number): void {
    const { method = '' } = this.#request;
    const verb = verbs[method];
    if (verb === undefined || this.#caller === undefined) return;
    const fields = auditFields(this.#request, { caller: this.#caller, startedAtMs: this.#startedAtMs });
    this.#options.audit({ ...fields, verb, status, correlationId: this.#correlationId });
  }
}

/** Methods that change something, in the words of the audit log. */
const verbs: Readonly<Record<string, string>> = { PUT: 'create', PATCH: 'update', DELETE: 'delete', POST: 'create' };
