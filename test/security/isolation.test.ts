import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { issueCertificate } from '@chandlery/platform';
import { startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { stringify } from 'yaml';
import { type Answer, authorityOf, type Caller, type CallOptions, createCaller } from './support/caller.ts';
import {
  binding,
  boatDefinition,
  configMap,
  corePath,
  create,
  createAccount,
  createCluster,
  expectFailure,
  expectStatus,
  rbacPath,
  role,
  secret,
} from './support/objects.ts';
import { OidcIssuer } from './support/oidc-issuer.ts';
import { watchLines } from './support/watch-lines.ts';

// Names of the same length, so that even the lengths of answers must agree.
const [own, foreign, absent] = ['alpha', 'bravo', 'ghost'];

let folder: TempFolder;
let issuer: OidcIssuer;
let landscape: TestLandscape;
let admin: Caller;
const tenants = new Map<string, { caller: Caller; refusal: number }>();

before(async () => {
  folder = await tempFolder();
  issuer = await OidcIssuer.start({ alice: ['builders'] });
  const oidc = [{ issuer: issuer.url, audiences: ['chandlery'], usernamePrefix: '-', groupsClaim: 'groups' }];
  await writeFile(folder.join('chandlery.yaml'), stringify({ oidc }));
  landscape = await startTestLandscape({ flags: ['--config', folder.join('chandlery.yaml')] });
  admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, own, [
    { kind: 'User', name: 'alice' },
    { kind: 'User', name: 'carol' },
  ]);
  await createCluster(admin, foreign);
  const owner = binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [
    { kind: 'ServiceAccount', name: 'owner', namespace: 'default' },
  ]);
  // The very same account, with the same rights, exists on both sides.
  for (const cluster of [own, foreign]) {
    await createAccount(admin, cluster, 'owner');
    await create(admin, `${rbacPath(cluster)}/clusterrolebindings`, owner);
    await create(admin, `${corePath(cluster, 'default')}/configmaps`, configMap('same', { from: cluster }));
    await create(admin, `${corePath(cluster, 'default')}/secrets`, secret('same', { from: cluster }));
  }
  const { token } = await createAccount(admin, own, 'second');
  await create(admin, `${rbacPath(own)}/clusterrolebindings`, {
    ...binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [
      { kind: 'ServiceAccount', name: 'second', namespace: 'default' },
    ]),
  });
  const certificate = issueCertificate(authorityOf(landscape), {
    commonName: 'carol',
    usages: ['client'],
    now: new Date(),
  });
  tenants.set('service account', { caller: createCaller(landscape, { token }), refusal: 401 });
  tenants.set('OpenID user', { caller: createCaller(landscape, { token: await issuer.login('alice') }), refusal: 403 });
  tenants.set('certificate', { caller: createCaller(landscape, { certificate }), refusal: 403 });
  tenants.set('anonymous', { caller: createCaller(landscape), refusal: 403 });
});

after(async () => {
  for (const { caller } of tenants.values()) await caller[Symbol.asyncDispose]();
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const metrics = '/apis/metrics.smi-spec.io/v1alpha1';

const paths = [
  ...['', '/', '/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1', '/apis/no.such/v1', '/openapi/v2'],
  ...['/openapi/v3', '/openapi/v3/api/v1', '/openid/v1/jwks', '/.well-known/openid-configuration', '/nothing'],
  ...['/version', '/livez', '/readyz', '/healthz'],
  ...['/api/v1/namespaces', '/api/v1/secrets', '/api/v1/namespaces/default/configmaps/same', '/api/v1/nothings'],
  ...['/api/v1/namespaces/default/configmaps?watch=true', '/api/v1/configmaps?watch=true&sendInitialEvents=true'],
  ...['/api/v1/configmaps?resourceVersion=1', '/api/v1/configmaps?labelSelector=%28', '/api/v1/configmaps?limit=x'],
  ...['/apis/rbac.authorization.k8s.io/v1/clusterroles', '/apis/core.chandlery.io/v1alpha1/logicalclusters'],
  ...['/api/v1/namespaces/default/pods/x/log', '/apis/apps/v1/namespaces/default/deployments/x/scale', '/%zz'],
  ...['/apis/metrics.smi-spec.io', metrics, `${metrics}/services`, `${metrics}/services?watch=true`],
  ...[`${metrics}/namespaces/default/services/x`, `${metrics}/namespaces/default/services/x/edges`],
];

const requests: readonly (readonly [string, CallOptions])[] = [
  ...paths.map(path => [path, {}] as const),
  ['/apis', { headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' } }],
  ['/api', { headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' } }],
  ['/api/v1/namespaces/default/configmaps', { body: configMap('new') }],
  ['/api/v1/namespaces/default/configmaps', { body: '{broken' }],
  ['/api/v1/namespaces/default/configmaps/same', { method: 'PUT', body: configMap('same') }],
  ['/api/v1/namespaces/default/configmaps/same', { method: 'DELETE' }],
  ['/api/v1/namespaces/default/configmaps', { method: 'DELETE' }],
  ['/api/v1/namespaces/default/serviceaccounts/owner/token', { body: {} }],
  ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body: {} }],
  ['/api/v1/namespaces', { headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' } }],
];

/** All that a client can see, less what differs between any two answers. */
function visible({ status, headers, text }: Answer, cluster: string): object {
  const { date: _date, 'x-request-id': _id, 'audit-id': _audit, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(cluster, '<cluster>') };
}

for (const who of ['service account', 'OpenID user', 'certificate', 'anonymous']) {
  for (const [path, options] of requests) {
    const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
    test(`to the ${who}, ${method} ${path} does not reveal whether a logical cluster exists`, async () => {
      const tenant = tenants.get(who);
      assert.ok(tenant);
      const ask = (cluster: string) => tenant.caller.send(`/clusters/${cluster}${path}`, options);
      const [there, nowhere] = [await ask(foreign), await ask(absent)];
      assert.deepEqual(visible(there, foreign), visible(nowhere, absent));
      const isOpen = ['/version', '/livez', '/readyz', '/healthz'].includes(path);
      const refusal = path === '/%zz' ? 400 : tenant.refusal;
      assert.equal(there.status, isOpen ? 200 : refusal, there.text);
    });
  }
}

test('objects of the same name are different objects', async () => {
  const path = (cluster: string) => `${corePath(cluster, 'default')}/configmaps/same`;
  const [left, right] = [(await admin.send(path(own))).json(), (await admin.send(path(foreign))).json()];
  assert.deepEqual([left.data, right.data], [{ from: own }, { from: foreign }]);
  assert.notEqual(left.metadata.uid, right.metadata.uid);
  expectStatus(await admin.send(path(own), { method: 'PUT', body: configMap('same', { from: 'changed' }) }), 200);
  assert.deepEqual((await admin.send(path(foreign))).json().data, { from: foreign });
});

test('a list over all namespaces stays in its logical cluster', async () => {
  for (const cluster of [own, foreign]) {
    const { items = [] } = (await admin.send(`${corePath(cluster)}/secrets`)).json();
    assert.deepEqual(
      items.map(({ data }) => Buffer.from(data?.['from'] ?? '', 'base64').toString()),
      [cluster],
    );
  }
});

test('a deletion of a collection stays in its logical cluster', async () => {
  for (const cluster of [own, foreign])
    await create(admin, `${corePath(cluster, 'kube-system')}/configmaps`, configMap('doomed'));
  expectStatus(await admin.send(`${corePath(own, 'kube-system')}/configmaps`, { method: 'DELETE' }), 200);
  expectStatus(await admin.send(`${corePath(foreign, 'kube-system')}/configmaps/doomed`), 200);
});

test('a watch never shows what happens in another logical cluster', async () => {
  const watch = await admin.open(`${corePath(own)}/configmaps?watch=true&labelSelector=story%3Dwatch`);
  const labelled = (name: string) => ({ ...configMap(name), metadata: { name, labels: { story: 'watch' } } });
  for (const [cluster, name] of [
    [foreign, 'hidden'],
    [own, 'seen'],
    [foreign, 'hidden-too'],
    [own, 'last'],
  ] as const)
    await create(admin, `${corePath(cluster, 'default')}/configmaps`, labelled(name));
  const names: (string | undefined)[] = [];
  for await (const { object } of watchLines(watch)) {
    names.push(object.metadata.name);
    if (object.metadata.name === 'last') break;
  }
  assert.deepEqual(names, ['seen', 'last']);
});

test("another cluster's continue token shows nothing of that cluster", async () => {
  const secrets = (cluster: string) => `${corePath(cluster)}/configmaps?limit=1`;
  const token = (await admin.send(secrets(foreign))).json().metadata.continue;
  assert.ok(token);
  const answer = await admin.send(`${secrets(own)}&continue=${encodeURIComponent(token)}`);
  assert.ok([200, 400, 410].includes(answer.status), answer.text);
  const uids = new Set(
    (await admin.send(`${corePath(foreign)}/configmaps`)).json().items?.map(item => item.metadata.uid),
  );
  for (const { metadata } of answer.json().items ?? []) assert.ok(!uids.has(metadata.uid));
});

test("another cluster's resourceVersion is harmless", async () => {
  const { resourceVersion } = (await admin.send(`${corePath(foreign, 'default')}/configmaps/same`)).json().metadata;
  const maps = `${corePath(own, 'default')}/configmaps`;
  expectStatus(await admin.send(`${maps}?resourceVersion=${resourceVersion}`), 200);
  expectStatus(await admin.send(`${maps}/same?resourceVersion=${resourceVersion}`), 200);
  const body = { ...configMap('same'), metadata: { name: 'same', resourceVersion } };
  expectFailure(await admin.send(`${maps}/same`, { method: 'PUT', body }), 409);
  const watch = await admin.open(`${maps}?watch=true&timeoutSeconds=1&resourceVersion=${resourceVersion}`);
  for await (const { object } of watchLines(watch)) assert.notEqual(object.metadata.name, 'hidden');
});

test('uids of another logical cluster own nothing here: garbage collection stays inside', async () => {
  const owner = await create(admin, `${corePath(foreign, 'default')}/configmaps`, configMap('owner'));
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
  const twin = await create(admin, `${corePath(own, 'default')}/configmaps`, configMap('owner'));
  const owned = { ...configMap('owned'), metadata: { name: 'owned', ownerReferences } };
  await create(admin, `${corePath(foreign, 'default')}/configmaps`, owned);
  expectStatus(await admin.send(`${corePath(own, 'default')}/configmaps/owner`, { method: 'DELETE' }), 200);
  assert.notEqual(twin.metadata.uid, owner.metadata.uid);
  expectStatus(await admin.send(`${corePath(foreign, 'default')}/configmaps/owned`), 200);
});

test('a kind defined in one logical cluster is unknown in another', async () => {
  await create(admin, `/clusters/${own}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, boatDefinition());
  const boats = (cluster: string) => `/clusters/${cluster}/apis/example.org/v1/boats`;
  expectStatus(await admin.send(boats(own)), 200);
  expectFailure(await admin.send(boats(foreign)), 404);
  expectStatus(await admin.send(`/clusters/${foreign}/apis/example.org`), 404);
});

test('a tenant admin is not the administrator of the landscape', async () => {
  const alice = tenants.get('OpenID user')?.caller;
  assert.ok(alice);
  const masters = { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' };
  for (const path of ['/clusters/platform/api/v1/namespaces', `/clusters/${foreign}/api/v1/secrets`, '/metrics'])
    expectStatus(await alice.send(path, { headers: masters }), 403, path);
  // Inside its own cluster it may impersonate any user; that gives no access to another one.
  expectStatus(await alice.send(`${corePath(own)}/secrets`, { headers: masters }), 200);
  const grant = role('ClusterRole', 'everything', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
  expectStatus(await alice.send(`${rbacPath(own)}/clusterroles`, { body: grant }), 201);
  expectStatus(await alice.send(`${corePath(foreign)}/secrets`), 403);
});
