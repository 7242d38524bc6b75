import { ChandleryError, notFound } from '@chandlery/api';
import type { HttpHost, HttpRequest } from '@chandlery/http';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { MeshDirectory } from '../directory/mesh-directory.ts';
import type { MeshRegistry } from '../directory/mesh-registry.ts';
import type { MeshSpec } from '../directory/mesh-spec.ts';
import type { OpenMesh } from '../directory/open-mesh.ts';
import type { ServiceEndpoints, ShownEndpoint } from '../kinds/rest-documents.ts';
import type { HasAccount } from '../members/member-connections.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { ServiceName } from '../model/service-name.ts';
import type { MeshAuthority, Proxy, ProxyView } from '../ports.ts';
import { loadEnvoyProtos } from '../resources/proto/load-envoy-protos.ts';
import { anyToJson } from '../resources/proto/proto-json.ts';
import type { DiscoveryStreams } from '../xds/discovery-streams.ts';
import type { StreamStatus } from '../xds/stream-status.ts';
import type { Authorizer } from './authorizer.ts';
import { explainCall, withMissingAccount } from './explain-call.ts';
import { listCertificates } from './list-certificates.ts';
import { listProxies, type ProxySources } from './list-proxies.ts';
import { meshDocument } from './openapi-document.ts';
import { showGraph, showMesh } from './show-graph.ts';
import { showStream } from './show-proxy.ts';
import { showVersion, streamChanges } from './stream-changes.ts';

export interface MeshRoutesOptions {
  readonly directory: MeshDirectory;
  readonly registry: MeshRegistry;
  readonly streams: DiscoveryStreams;
  /** The view of a connected proxy. */
  readonly viewOf: (proxy: Proxy) => ProxyView | undefined;
  readonly authorize: Authorizer;
  readonly proxies: ProxySources;
  readonly authority: Pick<MeshAuthority, 'trustBundle' | 'signerFingerprint' | 'trustDomains'>;
  readonly hasAccount: HasAccount;
}

interface Params {
  readonly mesh: string;
  readonly nodeId: string;
  readonly namespace: string;
  readonly service: string;
}

const readTimeoutMs = 10_000;

/**
 * Adds the routes that operators and tenants read about a mesh: connected proxies and their certificates, endpoints of
 * services, who may call whom, explanations of calls.
 */
export function addMeshRoutes(host: HttpHost, options: MeshRoutesOptions): void {
  const { app } = host;
  const { streams, viewOf } = options;
  const open = (request: HttpRequest, resource: string): Promise<OpenMesh> => openFor(request, resource, options);
  const statusOf = (mesh: string) => [...streams.status()].filter(({ proxy }) => proxy.identity.tenant === mesh);
  const paramsOf = (request: HttpRequest): Params => request.params as Params;

  app.get('/mesh/v1/meshes/:mesh/proxies', async request => {
    const { spec } = await open(request, 'proxies');
    return listProxies(spec.tenant, options.proxies);
  });
  app.get('/mesh/v1/meshes/:mesh/proxies/:nodeId', async request => {
    const { spec } = await open(request, 'proxies');
    const { nodeId } = paramsOf(request);
    const found = statusOf(spec.tenant).filter(({ proxy }) => proxy.nodeId === nodeId);
    if (found.length === 0) throw await notHere(spec.tenant, nodeId, options.proxies);
    const items = found.map(async stream => ({
      ...showStream(stream),
      config: await dumpConfig(stream, viewOf(stream.proxy)),
    }));
    return { mesh: spec.tenant, items: await Promise.all(items) };
  });
  app.get('/mesh/v1/meshes/:mesh/services/:namespace/:service/endpoints', async request => {
    const { catalog, spec } = await open(request, 'endpoints');
    const { namespace, service: name } = paramsOf(request);
    return showEndpoints(catalog, { namespace, name }, spec);
  });
  app.get('/mesh/v1/meshes/:mesh/certificates', async request => {
    const { spec } = await open(request, 'proxies');
    return listCertificates(await listProxies(spec.tenant, options.proxies), options.authority);
  });
  app.get('/mesh/v1/meshes/:mesh/graph', async request => {
    const { catalog } = await open(request, 'policies');
    // The graph counts endpoints: who may not read them gets none.
    await open(request, 'endpoints');
    return showGraph(catalog, request.query as Record<string, unknown>);
  });
  app.get('/mesh/v1/meshes/:mesh/changes', async (request, reply) => {
    const { catalog } = await open(request, 'policies');
    const { watch, resourceVersion } = request.query as Readonly<Record<string, string | undefined>>;
    if (watch !== 'true') return showVersion(catalog);
    streamChanges(host, reply, catalog, resourceVersion);
    return reply;
  });
  app.get('/mesh/v1/clusters/:cluster', async request => {
    const { cluster } = request.params as { readonly cluster: string };
    const tenant = await options.directory.tenantOf(cluster);
    const spec = tenant === undefined ? undefined : await options.directory.find(tenant);
    // Unauthorized callers must not learn which clusters exist.
    const attributes = { verb: 'get', group: 'mesh.chandlery.io', resource: 'policies' };
    await options.authorize(request, { cluster: spec?.topologyCluster ?? cluster, ...attributes });
    if (spec === undefined) throw notFound({ group: 'mesh.chandlery.io', resource: 'clusters' }, cluster);
    return showMesh(spec);
  });
  app.get('/openapi/mesh.json', (_request, reply) => reply.type('application/json').send(meshDocument));
  app.get('/mesh/v1/meshes/:mesh/explain', async request => {
    const { catalog, spec } = await open(request, 'policies');
    const query = request.query as Record<string, unknown>;
    const { clusters } = spec;
    return withMissingAccount(explainCall(catalog, query), query['from'], { clusters, hasAccount: options.hasAccount });
  });
}

/** Only the replica that serves a proxy knows the configuration that was sent to it. */
async function notHere(mesh: string, nodeId: string, proxies: ProxySources): Promise<ChandleryError> {
  const { items } = await listProxies(mesh, proxies);
  const found = items.find(item => item.nodeId === nodeId);
  if (found === undefined) return notFound({ group: 'mesh.chandlery.io', resource: 'proxies' }, nodeId);
  return new ChandleryError('NotFound', `the proxy "${nodeId}" is connected to the replica "${found.replica}"`, {
    hint: 'Ask that replica: only it has the configuration of the proxy.',
  });
}

/** Returns the mesh of a request after authorization in the cluster of its policies. */
async function openFor(
  request: HttpRequest,
  resource: string,
  { directory, registry, authorize }: MeshRoutesOptions,
): Promise<OpenMesh> {
  const { mesh: tenant } = request.params as Params;
  const spec = await directory.find(tenant);
  // Unauthorized callers must not learn which meshes exist: a missing mesh is authorized like an undisclosed cluster.
  const cluster = spec?.topologyCluster ?? tenant;
  await authorize(request, { cluster, verb: 'get', group: 'mesh.chandlery.io', resource });
  if (spec === undefined) throw notFound({ group: 'mesh.chandlery.io', resource: 'meshes' }, tenant);
  try {
    return await registry.mesh(tenant, AbortSignal.timeout(readTimeoutMs));
  } catch (cause) {
    if (cause instanceof ChandleryError) throw cause;
    throw new ChandleryError('ServiceUnavailable', `mesh "${tenant}" cannot be read at present`, {
      cause,
      hint: 'check that all of its clusters are reachable',
    });
  }
}

/** Returns the configuration that was sent to a proxy as JSON. Secrets are shown by name and version only. */
async function dumpConfig(stream: StreamStatus, view: ProxyView | undefined): Promise<object> {
  const root = await loadEnvoyProtos();
  const shown = stream.types.map(({ type }) => {
    const sent = stream.resources(type).map(({ name, version }) => {
      const resource = type === 'secret' ? undefined : view?.get(type, name);
      return {
        name,
        version,
        ...(resource?.version === version && resource && { content: anyToJson(resource.any, root) }),
      };
    });
    return [type, sent];
  });
  return Object.fromEntries(shown) as object;
}

/** Of providers that know the same address the first describes it. */
function withProviders(
  catalog: ServiceCatalog,
  service: ServiceName,
  endpoints: readonly Endpoint[],
): readonly ShownEndpoint[] {
  const addressOf = ({ ip, port, portName }: Endpoint): string => `${ip} ${port} ${portName}`;
  const providers = new Map<string, string>();
  for (const provider of catalog.listEndpointsProviders())
    for (const endpoint of provider.listEndpointsForService(service))
      if (!providers.has(addressOf(endpoint))) providers.set(addressOf(endpoint), provider.id);
  return endpoints.map(endpoint => {
    const provider = providers.get(addressOf(endpoint));
    return { ...endpoint, ...(provider !== undefined && { provider }) };
  });
}

const withPlace = (endpoint: ShownEndpoint, clusters: MeshSpec['clusters']): ShownEndpoint =>
  clusters.some(({ name }) => name === endpoint.cluster) ? endpoint : { ...endpoint, isCloud: true };

/** Shows a service with its endpoints, as the mesh knows them. */
function showEndpoints(
  catalog: ServiceCatalog,
  service: ServiceName,
  { clusters }: Pick<MeshSpec, 'clusters'>,
): ServiceEndpoints {
  const declared = catalog.services.getService(service);
  const endpoints = catalog.listEndpoints(service);
  if (declared === undefined && endpoints.length === 0)
    throw notFound({ group: '', resource: 'services' }, service.name);
  const split = catalog.topology.splitOf(service);
  return {
    ...service,
    ports: declared?.ports ?? [],
    addresses: declared?.addresses ?? [],
    clusters: declared?.clusters ?? [],
    serviceAccounts: catalog.accountsOf(service),
    ...(split && { split: { source: split.source, backends: split.backends } }),
    endpoints: withProviders(catalog, service, endpoints).map(endpoint => withPlace(endpoint, clusters)),
    staleProviders: catalog
      .listEndpointsProviders()
      .flatMap(({ id, staleReason }) => (staleReason === undefined ? [] : [{ id, reason: staleReason }])),
  };
}
