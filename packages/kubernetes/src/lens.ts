import { type BodyLimits, type ChandleryError, type KindDeclaration, toError } from '@chandlery/api';
import type { AuditLog, HttpHost, RenderedError } from '@chandlery/http';
import {
  type Authenticator,
  type ClusterKinds,
  type Kernel,
  parseServiceAccountUsername,
  type UserInfo,
} from '@chandlery/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { auditEntry } from './audit.ts';
import { Dispatcher, type IssuerDocuments } from './dispatcher.ts';
import type { AuditTrail } from './handlers/audit-records.ts';
import type { PodLogs } from './handlers/subresources.ts';
import { attributesOfPath, attributesOfResource } from './request-attributes.ts';
import { anonymousIdentity, RequestAuthorizer } from './request-authorizer.ts';
import { parseRequestPath, type RequestPath } from './request-path.ts';
import { statusOfError } from './status.ts';
import { Turns } from './turns.ts';
import { YamlDecoder } from './yaml/yaml-decoder.ts';

export interface KubernetesLensOptions {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly issuer: IssuerDocuments;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Default: pods have no logs. */
  readonly podLogs?: PodLogs;
  /** Where audit records are read. Default: there are none. */
  readonly auditTrail?: AuditTrail;
  /** Kinds that other lenses serve below `/clusters/<name>/apis`: discovery and OpenAPI list them. Default: none. */
  readonly kindsServedByOthers?: readonly KindDeclaration[];
  /** The text of `/readyz`; rejects when not ready. */
  readonly readiness: (isVerbose: boolean) => Promise<string>;
  /** What `/version` answers. */
  readonly version: object;
}

const prefix = '/clusters/';

/** Serves every logical cluster as a Kubernetes API at `/clusters/<name>`. */
export class KubernetesLens {
  readonly #options: KubernetesLensOptions;
  readonly #authorizer: RequestAuthorizer;
  readonly #dispatcher: Dispatcher;
  readonly #yaml = new YamlDecoder();
  readonly #turns = new Turns();

  constructor(options: KubernetesLensOptions) {
    this.#options = options;
    this.#authorizer = new RequestAuthorizer(options);
    this.#dispatcher = new Dispatcher(options);
    const { host } = options;
    host.renderErrorsUnder(prefix, renderError);
    // kubectl's `get --raw` and some load balancers ask at the root, whatever the kubeconfig's path.
    host.app.get('/version', (_request, reply) => reply.send(options.version));
    host.app.all('/clusters/:cluster', (request, reply) => this.#handle(request, reply));
    host.app.all('/clusters/:cluster/*', (request, reply) => this.#handle(request, reply));
  }

  async #handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { cluster, path, query } = addressOf(request);
    const parsed = parseRequestPath(path);
    if (parsed.type === 'health') return this.#health(reply, parsed.check, query.has('verbose'));
    if (parsed.type === 'version') return reply.send(this.#options.version);
    const attributes =
      parsed.type === 'resource'
        ? attributesOfResource(parsed, request.method, query)
        : attributesOfPath(path, request.method);
    const identity = anonymousIdentity();
    const audited: { name?: string } = {};
    const record = { request, cluster, attributes, parsed, query, audited, startedAt: performance.now() };
    try {
      // Members may always read what is needed to verify the service accounts' tokens.
      const isOpen = parsed.type === 'issuer';
      const admitted = await this.#authorizer.authorize(identity, { request, cluster, attributes, isOpen });
      const { kernel, host } = this.#options;
      const sender = budgetIdentity(identity.authenticated, cluster);
      host.identify(reply.raw, sender);
      const { home, view } = admitted;
      const all = await (parsed.type === 'resource' ? kernel.kindsWith(home, parsed) : kernel.registry.of(home));
      const bodyLimits = request.method === 'PUT' ? replaceLimitsOf(all, parsed) : undefined;
      request.body = await host.readBody(request.raw, reply.raw, bodyLimits?.bytes);
      const { user } = identity;
      const served = {
        kernel,
        calls: kernel.calls(user),
        host,
        cluster,
        kinds: view?.kindsOf(all) ?? all,
        request,
        reply,
        query,
        now: new Date(),
        bodyLimits,
        audited,
        sender,
        turns: this.#turns,
        yaml: this.#yaml,
      };
      await this.#dispatcher.dispatch({ ...admitted, ...served, user }, parsed);
      this.#audit({ ...record, ...identity, code: reply.statusCode });
    } catch (thrown) {
      const { code, reason } = statusOfError(thrown);
      this.#audit({ ...record, ...identity, code, reason });
      throw thrown;
    }
    return reply;
  }

  async #health(reply: FastifyReply, check: string, isVerbose: boolean): Promise<FastifyReply> {
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (check === 'livez') return reply.send('ok');
    return reply.send(await this.#options.readiness(isVerbose));
  }

  #audit(record: Parameters<typeof auditEntry>[0]): void {
    const entry = auditEntry(record);
    if (entry !== undefined) this.#options.audit.record(entry);
  }
}

/** The limits of a PUT to a kind that has its own. */
const replaceLimitsOf = (kinds: ClusterKinds, parsed: RequestPath): BodyLimits | undefined =>
  parsed.type === 'resource'
    ? kinds.resolve(parsed.group, parsed.version, parsed.plural)?.kind.declaration.replaceLimits
    : undefined;

/**
 * Whose budgets of memory a request counts against. Those who administer a logical cluster make as many service accounts as
 * they like, so all of them count as one.
 */
const budgetIdentity = ({ username }: UserInfo, cluster: string): string =>
  parseServiceAccountUsername(username) === undefined ? `user ${username}` : `service accounts of ${cluster}`;

function addressOf(request: FastifyRequest): { cluster: string; path: string; query: URLSearchParams } {
  const [whole = '', ...query] = request.raw.url?.split('?') ?? [];
  const rest = whole.slice(prefix.length);
  const slash = rest.indexOf('/');
  const { cluster } = request.params as { cluster: string };
  return { cluster, path: slash < 0 ? '/' : rest.slice(slash), query: new URLSearchParams(query.join('?')) };
}

/** Errors as Kubernetes Status. */
function renderError(error: ChandleryError): RenderedError {
  const status = statusOfError(toError(error));
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    body: JSON.stringify(status),
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(status.code === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
  };
}
