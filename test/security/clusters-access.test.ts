import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, type CallOptions, createCaller } from './support/caller.ts';
import { accessRequest, accessRequestsPath, isGranted, requestAccess, requestCluster } from './support/clusters.ts';
import {
  binding,
  configMap,
  corePath,
  create,
  createAccount,
  expectFailure,
  expectStatus,
  namespace,
  rbacPath,
  secret,
} from './support/objects.ts';
import { conditionOf, deletion, mergePatch, readSecret, until, untilStatus } from './support/tenants.ts';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
/** A logical cluster with namespaces `shop` and `bank`. */
let target: string;

before(async () => {
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  target = await requestCluster(admin, 'target', 'mcp');
  for (const name of ['shop', 'bank']) {
    await create(admin, `${corePath(target)}/namespaces`, namespace(name));
    await create(admin, `${corePath(target, name)}/configmaps`, configMap('there'));
    await create(admin, `${corePath(target, name)}/secrets`, secret('there'));
  }
});
after(() => closing.disposeAsync());

const readMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const readNamespaces = { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] };
const limited = {
  token: {
    permissions: [{ namespace: 'shop', rules: [readMaps] }, { rules: [readNamespaces] }],
    roleRefs: [{ kind: 'Role', name: 'keeper', namespace: 'bank' }],
  },
};
const keeper = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'keeper' },
  rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['there'], verbs: ['get'] }],
};

const asCaller = (token: string): Caller => closing.use(createCaller(landscape, { token }));

test('a token has the rights that were asked for, and no other', async () => {
  await create(admin, `${rbacPath(target, 'bank')}/roles`, keeper);
  const holder = asCaller(await requestAccess(admin, accessRequest('limited', target, limited)));
  const [shop, bank] = [corePath(target, 'shop'), corePath(target, 'bank')];
  const own = `${corePath(target, 'openmcp-access')}/serviceaccounts`;
  const { items = [] } = (await admin.send(own)).json();
  const account = items.map(({ metadata }) => metadata.name).find(name => name !== 'default');
  const tokenRequest = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const rows: readonly (readonly [number, string, CallOptions?])[] = [
    [200, `${shop}/configmaps/there`],
    [200, `${shop}/configmaps`],
    [200, shop],
    [200, bank],
    [200, `${bank}/secrets/there`],
    [403, `${shop}/configmaps?watch=true&timeoutSeconds=1`],
    [403, `${shop}/configmaps`, { body: configMap('new') }],
    [403, `${shop}/configmaps/there`, mergePatch({ data: {} })],
    [403, `${shop}/configmaps/there`, deletion],
    [403, `${shop}/secrets/there`],
    [403, `${bank}/secrets`],
    [403, `${bank}/secrets/there`, deletion],
    [403, `${bank}/configmaps/there`],
    [403, `${corePath(target)}/configmaps`],
    [403, `${corePath(target)}/namespaces`],
    [403, `${corePath(target)}/namespaces`, { body: namespace('new') }],
    [403, own],
    [403, `${own}/${account}/token`, { body: tokenRequest }],
    [403, `${rbacPath(target)}/clusterroles`],
    [403, `${rbacPath(target, 'shop')}/rolebindings`],
    [403, `${corePath(target, 'shop')}/configmaps`, { headers: { 'impersonate-user': 'admin' } }],
    [401, `${corePath('platform')}/namespaces`],
    [401, `${corePath('onboarding')}/namespaces`],
  ];
  for (const [status, path, options] of rows) expectStatus(await holder.send(path, options), status, path);
});

test('rights that a request no longer asks for are removed from the same token', async () => {
  const holder = asCaller(await requestAccess(admin, accessRequest('lessening', target, limited)));
  const maps = `${corePath(target, 'shop')}/configmaps`;
  expectStatus(await holder.send(maps), 200);
  const path = `${accessRequestsPath()}/lessening`;
  expectStatus(await admin.send(path, mergePatch({ spec: { token: { permissions: [], roleRefs: [] } } })), 200);
  await untilStatus(holder, maps, 403);
  await untilStatus(holder, `${corePath(target, 'bank')}/secrets/there`, 403);
});

test('a token is revoked with its request, also where anonymous requests are allowed', async () => {
  const token = await requestAccess(admin, accessRequest('brief', target, limited));
  const holder = asCaller(token);
  const maps = `${corePath(target, 'shop')}/configmaps`;
  expectStatus(await holder.send(maps), 200);
  expectStatus(await admin.send(`${accessRequestsPath()}/brief`, deletion), 200);
  await untilStatus(admin, `${accessRequestsPath()}/brief`, 404);
  expectFailure(await holder.send(maps), 401);
  expectFailure(await holder.send(`/clusters/${target}/api`), 401);
  expectStatus(await admin.send(`${corePath('platform', 'openmcp-system')}/secrets/brief.kubeconfig`), 404);
  // The next account of the same name is another one.
  const next = await requestAccess(admin, accessRequest('brief', target, limited));
  assert.notEqual(next, token);
  expectFailure(await holder.send(maps), 401);
});

test('a token expires by itself', async () => {
  const spec = { token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] }, ttl: '2s' };
  const holder = asCaller(await requestAccess(admin, accessRequest('timed', target, spec)));
  await untilStatus(holder, `${corePath(target)}/secrets`, 401);
  await untilStatus(admin, `${accessRequestsPath()}/timed`, 404);
  expectStatus(await admin.send(`${corePath('platform', 'openmcp-system')}/secrets/timed.kubeconfig`), 404);
});

test('with its cluster a token dies, also when a cluster of the same name follows', async () => {
  const first = await requestCluster(admin, 'passing', 'mcp');
  const everything = { token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] } };
  const holder = asCaller(await requestAccess(admin, accessRequest('passenger', first, everything)));
  expectStatus(await holder.send(`${corePath(first)}/secrets`), 200);
  for (const path of [
    `${accessRequestsPath()}/passenger`,
    `${accessRequestsPath().replace('access', 'cluster')}/passing`,
  ]) {
    expectStatus(await admin.send(path, deletion), 200, path);
    await untilStatus(admin, path, 404);
  }
  expectFailure(await holder.send(`${corePath(first)}/secrets`), 401);
  assert.equal(await requestCluster(admin, 'passing', 'mcp'), first);
  expectFailure(await holder.send(`${corePath(first)}/secrets`), 401);
});

test('a Secret with a kubeconfig is read only by those who may read Secrets of its namespace', async () => {
  await create(admin, `${corePath('platform')}/namespaces`, namespace('team'));
  await requestAccess(admin, accessRequest('ours', target, limited), 'team');
  await requestAccess(admin, accessRequest('theirs', target, limited));
  const { token } = await createAccount(admin, 'platform', 'reader');
  const reader = asCaller(token);
  const subject = { kind: 'ServiceAccount', name: 'reader', namespace: 'default' } as const;
  await create(
    admin,
    `${rbacPath('platform', 'team')}/rolebindings`,
    binding('RoleBinding', 'ClusterRole/admin', [subject]),
  );
  expectStatus(await reader.send(`${corePath('platform', 'team')}/secrets/ours.kubeconfig`), 200);
  for (const path of [
    'namespaces/openmcp-system/secrets/theirs.kubeconfig',
    'namespaces/openmcp-system/secrets',
    'secrets',
  ])
    expectFailure(await reader.send(`${corePath('platform')}/${path}`), 403, path);
});

test('a request neither takes over nor deletes a Secret of another owner', async () => {
  const path = `${corePath('platform', 'openmcp-system')}/secrets/foreign.kubeconfig`;
  await create(
    admin,
    `${corePath('platform', 'openmcp-system')}/secrets`,
    secret('foreign.kubeconfig', { kubeconfig: 'mine' }),
  );
  const request = `${accessRequestsPath()}/foreign`;
  await create(admin, accessRequestsPath(), accessRequest('foreign', target, limited));
  await until(admin, request, object => conditionOf(object, 'Ready')?.status === 'False');
  assert.equal(await readSecret(admin, path, 'kubeconfig'), 'mine');
  expectStatus(await admin.send(request, deletion), 200);
  await untilStatus(admin, request, 404);
  assert.equal(await readSecret(admin, path, 'kubeconfig'), 'mine');
});

test('a permission that bears the name of a role of others neither changes nor deletes that role', async () => {
  const view = `${rbacPath(target)}/clusterroles/view`;
  const rulesOf = async () => JSON.stringify(expectStatus(await admin.send(view), 200).json<{ rules: object }>().rules);
  const before = await rulesOf();
  const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  const request = `${accessRequestsPath()}/taker`;
  await create(
    admin,
    accessRequestsPath(),
    accessRequest('taker', target, { token: { permissions: [{ name: 'view', rules: [all] }] } }),
  );
  await until(admin, request, object => conditionOf(object, 'Ready') !== undefined || isGranted(object));
  await eventually(async () => conditionOf((await admin.send(request)).json(), 'Ready')?.status === 'False');
  assert.equal(await rulesOf(), before);
  expectStatus(await admin.send(request, deletion), 200);
  await untilStatus(admin, request, 404);
  assert.equal(await rulesOf(), before);
});
