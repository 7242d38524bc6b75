import type { CallOptions } from './caller.ts';
import type { IdentityName } from './identities.ts';
import { configMap, corePath, deployment, groupPath, namespace, pod, rbacPath, role, secret } from './objects.ts';

/** A request, the identities that may make it, and what they get. All others are rejected. */
export interface AccessRow {
  readonly path: string;
  readonly options?: CallOptions;
  readonly allowed: readonly IdentityName[];
  /** Status for those. Default 200. */
  readonly status?: number;
  /** Only the first lines are read. */
  readonly isWatch?: boolean;
}

/** Whose credentials are wrong: they get 401 wherever credentials are looked at. */
export const unknownIdentities: readonly IdentityName[] = ['bad token', 'expired token'];

const owners: readonly IdentityName[] = ['tenant admin', 'admin'];
const readers: readonly IdentityName[] = [
  ...owners,
  'account with a cluster role',
  'member of a bound group',
  'certificate user',
  'admin as bound user',
];
const editors: readonly IdentityName[] = [...owners, 'account with a role in default'];
const readersHere: readonly IdentityName[] = [...readers, 'account with a role in default'];
const members: readonly IdentityName[] = [...readersHere, 'account without rights', 'admin as unbound user'];

const dry = (path: string): string => `${path}?dryRun=All`;
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'there' }, spec: { replicas: 0 } };
const selfReview = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } },
};
const subjectReview = { ...selfReview, kind: 'SubjectAccessReview', spec: { ...selfReview.spec, user: 'carol' } };
const tokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'x' } };

const here = corePath('shop', 'default');
const there = corePath('shop', 'other');
const apps = groupPath('shop', 'apps/v1', 'default');
const maps = `${here}/configmaps`;
const map = configMap('there');
const patch = { metadata: { labels: { a: 'b' } } };

const configMapRows: readonly AccessRow[] = [
  { path: `${maps}/there`, allowed: readersHere },
  { path: maps, allowed: readersHere },
  { path: `${maps}?watch=true&timeoutSeconds=1`, allowed: readersHere, isWatch: true },
  { path: dry(maps), options: { body: configMap('new') }, allowed: editors, status: 201 },
  { path: dry(`${maps}/there`), options: { method: 'PUT', body: map }, allowed: editors },
  { path: dry(`${maps}/there`), options: { method: 'PATCH', body: patch, headers: merge }, allowed: editors },
  {
    path: `${dry(`${maps}/there`)}&fieldManager=x`,
    options: { method: 'PATCH', body: map, headers: apply },
    allowed: editors,
  },
  {
    path: `${dry(`${maps}/fresh`)}&fieldManager=x`,
    options: { method: 'PATCH', body: configMap('fresh'), headers: apply },
    allowed: editors,
    status: 201,
  },
  { path: dry(`${maps}/there`), options: { method: 'DELETE' }, allowed: editors },
  { path: dry(maps), options: { method: 'DELETE' }, allowed: editors },
];

const elsewhereRows: readonly AccessRow[] = [
  { path: `${there}/configmaps/there`, allowed: readers },
  { path: `${there}/configmaps`, allowed: readers },
  { path: dry(`${there}/configmaps`), options: { body: configMap('new') }, allowed: owners, status: 201 },
  { path: `${corePath('shop')}/configmaps`, allowed: readers },
  { path: `${corePath('shop')}/configmaps?watch=1&timeoutSeconds=1`, allowed: readers, isWatch: true },
  { path: `${corePath('shop')}/namespaces`, allowed: readers },
  { path: `${corePath('shop')}/namespaces/other`, allowed: readers },
  { path: `${corePath('shop')}/namespaces/default`, allowed: readersHere },
  { path: dry(`${corePath('shop')}/namespaces`), options: { body: namespace('x') }, allowed: owners, status: 201 },
  { path: `${corePath('shop')}/nodes`, allowed: owners },
];

const secretRows: readonly AccessRow[] = [
  { path: `${here}/secrets/there`, allowed: editors },
  { path: `${here}/secrets`, allowed: editors },
  { path: `${here}/secrets?watch=true&timeoutSeconds=1`, allowed: editors, isWatch: true },
  { path: `${here}/secrets?fieldSelector=metadata.name%3Dthere`, allowed: editors },
  { path: `${corePath('shop')}/secrets`, allowed: owners },
  { path: dry(`${here}/secrets`), options: { body: secret('new') }, allowed: editors, status: 201 },
];

const subresourceRows: readonly AccessRow[] = [
  { path: `${apps}/deployments/there/status`, allowed: readersHere },
  {
    path: dry(`${apps}/deployments/there/status`),
    options: { method: 'PATCH', body: { status: { replicas: 1 } }, headers: merge },
    allowed: owners,
  },
  { path: `${apps}/deployments/there/scale`, allowed: readersHere },
  { path: dry(`${apps}/deployments/there/scale`), options: { method: 'PUT', body: scale }, allowed: editors },
  { path: dry(`${apps}/deployments`), options: { body: deployment('new') }, allowed: editors, status: 201 },
  { path: `${here}/pods/there/log`, allowed: readersHere, status: 400 },
  { path: dry(`${here}/pods`), options: { body: pod('new') }, allowed: editors, status: 201 },
  { path: `${here}/serviceaccounts/bare/token`, options: { body: token }, allowed: editors, status: 201 },
];

const rbacRows: readonly AccessRow[] = [
  { path: `${rbacPath('shop')}/clusterroles`, allowed: owners },
  { path: `${rbacPath('shop', 'default')}/rolebindings`, allowed: owners },
  {
    path: dry(`${rbacPath('shop', 'default')}/roles`),
    options: { body: role('Role', 'new', []) },
    allowed: owners,
    status: 201,
  },
  { path: groupPath('shop', 'apiextensions.k8s.io/v1/customresourcedefinitions'), allowed: owners },
  {
    path: groupPath('shop', 'authorization.k8s.io/v1/selfsubjectaccessreviews'),
    options: { body: selfReview },
    allowed: members,
    status: 201,
  },
  {
    path: groupPath('shop', 'authorization.k8s.io/v1/subjectaccessreviews'),
    options: { body: subjectReview },
    allowed: owners,
    status: 201,
  },
  {
    path: groupPath('shop', 'authentication.k8s.io/v1/tokenreviews'),
    options: { body: tokenReview },
    allowed: owners,
    status: 201,
  },
];

const documentPaths = [
  ...['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1', '/openapi/v3', '/openapi/v3/api/v1'],
  ...['/.well-known/openid-configuration', '/openid/v1/jwks'],
];

/** Every kind of request to logical cluster `shop`. */
export const accessTable: readonly AccessRow[] = [
  ...configMapRows,
  ...elsewhereRows,
  ...secretRows,
  ...subresourceRows,
  ...rbacRows,
  ...documentPaths.map(path => ({ path: `/clusters/shop${path}`, allowed: members })),
  { path: '/clusters/shop', allowed: owners },
  { path: '/clusters/shop/', allowed: owners },
  { path: '/clusters/shop/nothing/here', allowed: owners, status: 404 },
  { path: groupPath('shop', 'no.such.group/v1/things'), allowed: owners, status: 404 },
  { path: `${here}/nothings`, allowed: owners, status: 404 },
  {
    path: '/clusters/no-such-cluster/api',
    allowed: ['admin', 'admin as bound user', 'admin as unbound user'],
    status: 404,
  },
  { path: '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters', allowed: ['admin'] },
];
