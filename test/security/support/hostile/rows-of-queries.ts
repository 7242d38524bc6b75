import { create, rbacPath, role } from '../objects.ts';
import { bodyRow, core, custom, dry, fields, type HostileRow, requestRow, thing, times } from './hostile-row.ts';
import { cluster } from './hostile-world.ts';

/** Not the collection that other rows fill with large objects. */
const services = `${core}/services`;
const things = `${custom}/things`;
const review = (kind: string, spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
const reviews = `/clusters/${cluster}/apis/authorization.k8s.io/v1`;
const rule = (index: number) => ({ verbs: ['get'], apiGroups: [`g${index}.example.org`], resources: [`r${index}`] });
const query = (what: string, size: number, parameters: (size: number) => string): HostileRow =>
  requestRow(what, size, length => ({ path: `${services}?${parameters(length)}` }));
const encoded = (name: string, text: string): string => `${name}=${encodeURIComponent(text)}`;
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** Stores a thing of each size, then asks for it. */
const storedRow = (
  what: string,
  size: number,
  spec: (size: number) => object,
  request: (name: string) => { readonly path: string; readonly headers?: Readonly<Record<string, string>> },
): HostileRow => {
  const nameOf = (length: number): string => `stored-${what.replaceAll(/[^a-z]+/g, '-')}-${length}`;
  return {
    ...requestRow(what, size, length => request(nameOf(length)), [200]),
    prepare: async ({ tenant }, length) => void (await create(tenant, things, thing(spec(length), nameOf(length)))),
  };
};

/** Queries, rights and representations that grow with what a client sends or has stored. */
export const queryRows: readonly HostileRow[] = [
  query('a label selector of many terms', 100, size => encoded('labelSelector', times(size, i => `a${i}=b`).join())),
  query('a label selector of many values', 150, size =>
    encoded('labelSelector', `a in (${times(size, i => `b${i}`).join()})`),
  ),
  query('a label selector of many brackets', 300, size => encoded('labelSelector', '('.repeat(size))),
  query('a label selector of many exclusions', 100, size =>
    encoded('labelSelector', times(size, i => `!a${i}`).join()),
  ),
  query('a field selector of many terms', 60, size =>
    encoded('fieldSelector', times(size, i => `metadata.name!=a${i}`).join()),
  ),
  query('a field selector of many backslashes', 300, size =>
    encoded('fieldSelector', `metadata.name=${'\\\\'.repeat(size)}`),
  ),
  query('a field selector of exclamation marks', 300, size => encoded('fieldSelector', '!'.repeat(size))),
  query('a long continue token', 1000, size => `limit=1&continue=${'A'.repeat(size)}`),
  query('many parameters', 200, size => times(size, i => `p${i}=1`).join('&')),
  query('one parameter many times', 100, size => times(size, () => 'dryRun=All').join('&')),
  query('many percent signs', 300, size => `labelSelector=${'%41'.repeat(size)}`),
  requestRow('a long path', 1000, size => ({ path: `${services}/${'a'.repeat(size)}` })),
  requestRow('a path of many parts', 500, size => ({ path: `${services}${'/a'.repeat(size)}` })),
  requestRow(
    'a long accept header',
    100,
    size => ({
      path: services,
      headers: { accept: times(size, i => `application/json;as=Table;v=v${i};g=meta.k8s.io`).join() },
    }),
    [200, 406, 431],
  ),
  requestRow(
    'a long bearer token',
    1000,
    size => ({
      path: services,
      headers: { authorization: `Bearer ${'a'.repeat(size)}.${'b'.repeat(size > 5000 ? 2 : size)}.c` },
    }),
    [401, 431],
  ),
  requestRow(
    'a token of many parts',
    500,
    size => ({
      path: services,
      headers: { authorization: `Bearer ${'a.'.repeat(size)}` },
    }),
    [401, 431],
  ),
  requestRow(
    'long basic credentials',
    1000,
    size => ({
      path: services,
      headers: { authorization: `Basic ${Buffer.from(`a:${'b'.repeat(size)}`).toString('base64')}` },
    }),
    [401, 431],
  ),
  requestRow(
    'impersonation of many groups',
    30,
    size => ({
      path: services,
      headers: { 'impersonate-user': 'x', 'impersonate-group': times(size, i => `g${i}`) },
    }),
    [200, 401, 403, 431],
  ),
  bodyRow('a role of many rules', 150, `${rbacPath(cluster)}/clusterroles?${dry}`, size =>
    role('ClusterRole', 'hostile', times(size, rule)),
  ),
  bodyRow('a rule of many resources', 1000, `${rbacPath(cluster)}/clusterroles?${dry}`, size =>
    role('ClusterRole', 'hostile', [{ verbs: ['get'], apiGroups: [''], resources: times(size, i => `r${i}`) }]),
  ),
  bodyRow('a rule of many names, verbs and groups', 200, `${rbacPath(cluster)}/clusterroles?${dry}`, size =>
    role('ClusterRole', 'hostile', [
      {
        verbs: times(size, i => `v${i}`),
        apiGroups: times(size, i => `g${i}`),
        resources: times(size, i => `r${i}`),
        resourceNames: times(size, i => `n${i}`),
      },
    ]),
  ),
  bodyRow('a binding of many subjects', 1000, `${rbacPath(cluster)}/clusterrolebindings?${dry}`, size => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'hostile' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: times(size, i => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `u${i}` })),
  })),
  bodyRow('an access review of a long name', 100_000, `${reviews}/selfsubjectaccessreviews`, size =>
    review('SelfSubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'x'.repeat(size) } }),
  ),
  bodyRow('an access review of many groups', 5000, `${reviews}/subjectaccessreviews`, size =>
    review('SubjectAccessReview', {
      user: 'x',
      groups: times(size, i => `g${i}`),
      resourceAttributes: { verb: 'get', resource: 'pods' },
    }),
  ),
  storedRow(
    'a table of a wide object',
    3000,
    size => ({ any: fields(size, i => i) }),
    name => ({ path: `${things}/${name}`, headers: table }),
  ),
  storedRow(
    'a pretty object',
    4000,
    size => ({ any: { a: times(size, i => i) } }),
    name => ({ path: `${things}/${name}?pretty=true` }),
  ),
  storedRow(
    'metadata of a wide object',
    3000,
    size => ({ any: fields(size, i => i) }),
    name => ({
      path: `${things}/${name}`,
      headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
    }),
  ),
  storedRow(
    'a wide object in YAML',
    1000,
    size => ({ any: fields(size, i => i) }),
    name => ({
      path: `${things}/${name}`,
      headers: { accept: 'application/yaml' },
    }),
  ),
];
