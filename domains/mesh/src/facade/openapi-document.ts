/** What a route of the mesh is, for its document. */
interface DocumentedRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Names of query parameters with what they mean; those that end with `!` are required. */
  readonly query?: Readonly<Record<string, string>>;
  /** The properties of the body. Default: none. */
  readonly body?: Readonly<Record<string, string>>;
  /** The status of success. Default 200. */
  readonly status?: number;
}

const account = '/mesh/v1/clusters/{cluster}/namespaces/{namespace}/serviceaccounts/{account}';

/** The routes of the mesh; a test compares them with those that are served. */
export const documentedRoutes: readonly DocumentedRoute[] = [
  { method: 'get', path: '/mesh/v1/clusters/{cluster}', tag: 'Meshes', summary: 'The mesh of a cluster' },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/graph',
    tag: 'Meshes',
    summary: 'Services, and who may call whom',
    query: {
      service: 'namespace/service: this one with its neighbours, and what is denied between them',
      search: 'Part of the name of a service',
      offset: 'Services before the page',
      limit: 'Services of a page, 500 at most',
    },
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/changes',
    tag: 'Meshes',
    summary: 'The version of what is known of a mesh; as a watch, a line for each later one',
    query: {
      watch: 'true: a stream of lines, for five minutes',
      resourceVersion: 'The version that the client has read: a later one is sent at once',
    },
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/explain',
    tag: 'Meshes',
    summary: 'Whether a call is allowed, and which policies decide',
    query: {
      'from!': 'namespace/account',
      'to!': 'namespace/service',
      port: 'Default: the first port',
      method: 'HTTP method; without one, a rule for some requests is no permission',
      path: 'HTTP path',
    },
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/services/{namespace}/{service}/endpoints',
    tag: 'Services',
    summary: 'Where a service runs',
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/proxies',
    tag: 'Proxies',
    summary: 'Connected proxies, with what they have accepted and rejected',
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/proxies/{nodeId}',
    tag: 'Proxies',
    summary: 'The configuration that was sent to a proxy',
  },
  {
    method: 'get',
    path: '/mesh/v1/meshes/{mesh}/certificates',
    tag: 'Proxies',
    summary: 'Roots of trust, and the certificates with which proxies are connected',
  },
  {
    method: 'get',
    path: '/mesh/v1/instances/{namespace}/{name}',
    tag: 'Services',
    summary: 'A service instance in its meshes: who may call it, and which proxies enforce that',
  },
  {
    method: 'post',
    path: `${account}/certificates`,
    tag: 'Workloads',
    summary: 'Signs the key of a workload or of its proxy',
    body: {
      csr: 'PKCS #10 in PEM',
      proxyId: 'The node id of a proxy. Default: the certificate is for the workload',
      ttlSeconds: 'Default: a day',
    },
    status: 201,
  },
  { method: 'get', path: `${account}/trust`, tag: 'Workloads', summary: 'The trust bundle of a workload' },
  {
    method: 'get',
    path: '/mesh/v1/clusters/{cluster}/namespaces/{namespace}/joins',
    tag: 'Workloads',
    summary: 'For which audience the identity document of a machine must be',
  },
  {
    method: 'post',
    path: '/mesh/v1/clusters/{cluster}/namespaces/{namespace}/joins',
    tag: 'Workloads',
    summary: 'Gives a machine the token of an account, for the identity document of its cloud',
    body: {},
    status: 201,
  },
];

function pathsOf(routes: readonly DocumentedRoute[]): object {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, all]) => [path, Object.fromEntries(all.map(each => [each.method, operationOf(each)]))]),
  );
}

const text = { type: 'string' };
const json = (schema: object) => ({ 'application/json': { schema } });

function operationOf({ path, tag, summary, query = {}, body, status = 200 }: DocumentedRoute): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name: name.replace('!', ''),
    in: 'query',
    description,
    required: name.endsWith('!'),
    schema: text,
  }));
  const fields = Object.entries(body ?? {}).map(([name, description]) => [name, { ...text, description }] as const);
  const properties: object = Object.fromEntries(fields);
  return {
    tags: [tag],
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { content: json({ type: 'object', properties }) } }),
    responses: {
      [status]: { description: 'Success', content: json({ type: 'object' }) },
      default: { description: 'Why it cannot be done', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

/** The OpenAPI document of the mesh. */
export const meshDocument: object = {
  openapi: '3.0.3',
  info: {
    title: 'Mesh',
    version: '1.0.0',
    description: 'Who calls whom in a mesh, its proxies and certificates. Policies are objects of the Kubernetes API.',
  },
  paths: pathsOf(documentedRoutes),
  components: {
    schemas: {
      Error: {
        type: 'object',
        properties: { error: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
      },
    },
    securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
  },
  security: [{ Bearer: [] }],
};
