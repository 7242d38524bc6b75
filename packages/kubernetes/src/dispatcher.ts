import { apiError, type KindDeclaration, methodNotAllowed, notFound, notServed, reviewKinds } from '@chandlery/api';
import type { HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  type CompiledKind,
  fitsScope,
  subresourceVerbs,
  type Target,
  type Verb,
} from '@chandlery/kernel';
import type { Call, ResourceCall } from './call.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { type AuditTrail, auditResource, handleAuditRecords } from './handlers/audit-records.ts';
import { sendDiscovery, sendOpenapi, sendOpenapiV2 } from './handlers/documents.ts';
import { handleResource } from './handlers/resource-handler.ts';
import { handleReview, reviewHandlerOf } from './handlers/reviews.ts';
import { type PodLogs, postSubresource, streamLog } from './handlers/subresources.ts';
import { OpenapiDocuments } from './openapi/openapi-documents.ts';
import { verbOf } from './request-attributes.ts';
import type { RequestPath, ResourcePath } from './request-path.ts';
import { sendJson } from './respond.ts';

/** Keys and metadata of the service-account issuer, as relying parties fetch them. */
export interface IssuerDocuments {
  configuration(cluster: string): object;
  keys(): object;
}

export interface DispatcherOptions {
  readonly host: Pick<HttpHost, 'openStream'>;
  readonly authenticator: Authenticator;
  readonly issuer: IssuerDocuments;
  /** Default: pods have no logs. */
  readonly podLogs?: PodLogs;
  /** Default: there are no audit records. */
  readonly auditTrail?: AuditTrail;
  /** Kinds that others serve below the same paths, but not in views: discovery and OpenAPI list them. Default: none. */
  readonly kindsServedByOthers?: readonly KindDeclaration[];
}

/** The discovery and OpenAPI documents of a logical cluster. */
interface ClusterDocuments {
  readonly discovery: DiscoveryDocuments;
  readonly openapi: OpenapiDocuments;
}

const documentsWith = (reviews: readonly KindDeclaration[]): ClusterDocuments => ({
  discovery: new DiscoveryDocuments({ reviews }),
  openapi: new OpenapiDocuments({ reviews }),
});

/** Dispatches authorised calls to their handlers. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #ofClusters: ClusterDocuments;
  readonly #ofViews: ClusterDocuments;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#ofClusters = documentsWith([...reviewKinds, ...(options.kindsServedByOthers ?? [])]);
    this.#ofViews = documentsWith(reviewKinds);
  }

  async dispatch(call: Call, parsed: RequestPath): Promise<void> {
    const { discovery, openapi } = call.view === undefined ? this.#ofClusters : this.#ofViews;
    switch (parsed.type) {
      case 'root':
        return sendJson(call, 200, {
          paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'],
        });
      case 'discovery':
      case 'group':
      case 'groupVersion':
        return sendDiscovery(call, parsed, discovery);
      case 'openapi':
        return sendOpenapi(call, parsed.document, openapi);
      case 'openapiV2':
        return sendOpenapiV2(call);
      case 'issuer':
        return sendJson(call, 200, this.#issuerDocument(call.home, parsed.document));
      case 'resource':
        return this.#resource(call, parsed);
      case 'health':
      case 'version':
      case 'unknown':
        throw notServed();
    }
  }

  #issuerDocument(cluster: string, document: 'configuration' | 'keys'): object {
    const { issuer } = this.#options;
    return document === 'keys' ? issuer.keys() : issuer.configuration(cluster);
  }

  async #resource(call: Call, path: ResourcePath): Promise<void> {
    const review = reviewHandlerOf(path);
    if (review !== undefined) return handleReview(call, path, review, this.#options.authenticator);
    const target = await targetOf(call, path);
    const resourceCall: ResourceCall = { ...call, target, subresource: path.subresource ?? '' };
    const verb = verbOf(path, call.request.method, call.query);
    if (path.subresource !== undefined) return this.#subresource(resourceCall, verb);
    if (verb === undefined || !isTaken(resourceCall, verb)) throw methodNotAllowed();
    if (resourceCall.target.resource.kind.resource === auditResource)
      return handleAuditRecords(resourceCall, verb, this.#options.auditTrail);
    await handleResource(await visibleCall(resourceCall, verb), verb, this.#openStream);
  }

  #subresource(call: ResourceCall, verb: Verb | undefined): Promise<void> {
    checkSubresource(call, verb);
    const isLog = `${call.target.resource.kind.resource}/${call.subresource}` === '/pods/log';
    if (isLog) return streamLog(call, this.#options.podLogs);
    if (call.request.method === 'POST') return postSubresource(call);
    if (verb === undefined) throw methodNotAllowed();
    return handleResource(call, verb, this.#openStream);
  }

  readonly #openStream: HttpHost['openStream'] = (reply, options) => this.#options.host.openStream(reply, options);
}

/** The resource that a path addresses. */
async function targetOf(call: Call, path: ResourcePath): Promise<Target> {
  const { group, version, plural, namespace, name } = path;
  const resource = call.kinds.resolve(group, version, plural);
  if (resource === undefined || !fitsScope(resource.kind, path)) throw notServed();
  await checkInView(call, resource.kind, path);
  return { cluster: call.home, resource, namespace: namespace ?? '', name: name ?? '' };
}

/** Rejects objects outside the view as not found. */
async function checkInView(
  { view, kinds }: Call,
  kind: CompiledKind,
  { namespace, name }: ResourcePath,
): Promise<void> {
  if (view === undefined) return;
  if (namespace !== undefined && !(await view.hasNamespace(namespace)))
    throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (!kind.isNamespaced && name !== undefined && !(await view.hasObject(kind, name, kinds)))
    throw notFound(kind.groupResource, name);
}

/** Whether the resource takes the verb. Cluster-scoped objects of a view are created in its base only. */
const isTaken = ({ view, target: { resource } }: ResourceCall, verb: Verb): boolean =>
  resource.kind.verbs.includes(verb) && !(view !== undefined && verb === 'create' && !resource.kind.isNamespaced);

const collectionVerbs: readonly Verb[] = ['list', 'watch', 'deletecollection'];

/** The call on the part of a collection that its user sees. */
async function visibleCall(call: ResourceCall, verb: Verb): Promise<ResourceCall> {
  const { view, user, kinds, target } = call;
  if (!collectionVerbs.includes(verb) || target.name !== '' || target.namespace !== '') return call;
  const visibility =
    view === undefined ? call.visibility : await view.visibility(target.resource.kind, user, verb, kinds);
  return visibility === undefined ? call : { ...call, target: { ...target, visibility } };
}

/** Operations of kubectl that pods without a container runtime cannot serve; kubectl shows the reason. */
const unsupportedOfPods: Readonly<Record<string, string>> = {
  exec: 'kubectl exec',
  attach: 'kubectl attach',
  portforward: 'kubectl port-forward',
  proxy: 'the proxy of pods',
  ephemeralcontainers: 'kubectl debug',
};

function unsupported({ resource }: ResourceCall['target'], subresource: string): Error | undefined {
  const what = resource.kind.resource === '/pods' ? unsupportedOfPods[subresource] : undefined;
  if (what === undefined) return undefined;
  const why = 'its pods are processes of the machine that runs it: use "kubectl logs", or the machine itself';
  return apiError('MethodNotAllowed', `${what} is not supported on a cluster of the landscape: ${why}`);
}

function checkSubresource({ target, subresource, request }: ResourceCall, verb: Verb | undefined): void {
  const verbs = subresourceVerbs(target.resource.version, subresource);
  if (verbs === undefined) throw unsupported(target, subresource) ?? notServed();
  const wanted = request.method === 'POST' ? 'create' : verb;
  if (wanted === undefined || !verbs.includes(wanted)) throw methodNotAllowed();
}
