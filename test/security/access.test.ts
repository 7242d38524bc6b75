import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { stringify } from 'yaml';
import { type AccessRow, accessTable, unknownIdentities } from './support/access-table.ts';
import { type Answer, type Caller, createCaller } from './support/caller.ts';
import {
  createIdentities,
  furnishShop,
  type Identities,
  type IdentityName,
  identityNames,
} from './support/identities.ts';
import { binding, configMap, create, createAccount, expectFailure, expectStatus, role } from './support/objects.ts';
import { OidcIssuer } from './support/oidc-issuer.ts';

let folder: TempFolder;
let issuer: OidcIssuer;
let landscape: TestLandscape;
let admin: Caller;
let identities: Identities;

before(async () => {
  folder = await tempFolder();
  issuer = await OidcIssuer.start({ alice: [], bob: ['builders'], mallory: [] });
  const oidc = [{ issuer: issuer.url, audiences: ['chandlery'], groupsClaim: 'groups', groupsPrefix: 'oidc:' }];
  await writeFile(folder.join('chandlery.yaml'), stringify({ oidc }));
  landscape = await startTestLandscape({ flags: ['--config', folder.join('chandlery.yaml')] });
  admin = createCaller(landscape, { token: landscape.token });
  await furnishShop(admin, issuer);
  identities = await createIdentities(landscape, admin, issuer);
});

after(async () => {
  await identities?.[Symbol.asyncDispose]();
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** A service account has an identity only in its own logical cluster. */
const refusalOf = (name: IdentityName, path: string): number => {
  const isForeign = name.startsWith('account') && !path.startsWith('/clusters/shop');
  return isForeign || unknownIdentities.includes(name) ? 401 : 403;
};

function checkAnswer(row: AccessRow, name: IdentityName, answer: Answer): void {
  const what = `${name}: ${row.options?.method ?? ''} ${row.path}`;
  if (row.allowed.includes(name)) return void expectStatus(answer, row.status ?? 200, what);
  const code = refusalOf(name, row.path);
  const { reason } = expectFailure(answer, code, what);
  assert.equal(reason, code === 401 ? 'Unauthorized' : 'Forbidden', what);
  assert.ok(!answer.text.includes('"items"'), what);
}

for (const row of accessTable) {
  const method = row.options?.method ?? (row.options?.body === undefined ? 'GET' : 'POST');
  test(`${method} ${row.path} is served to those who may, and to no other client`, async () => {
    const ask = async (name: IdentityName) =>
      checkAnswer(row, name, await identities.callers[name].send(row.path, row.options));
    await Promise.all(identityNames.map(ask));
  });
}

const masters: readonly IdentityName[] = ['admin', 'admin as bound user', 'admin as unbound user'];
const strangers: readonly IdentityName[] = ['tenant admin', 'member of a bound group', 'stranger', 'certificate user'];

for (const path of ['/metrics', '/admin/backup']) {
  test(`${path} is for those who run the landscape`, async () => {
    for (const name of identityNames) {
      const answer = await identities.callers[name].send(path);
      const expected = masters.includes(name) ? 200 : strangers.includes(name) ? 403 : 401;
      expectStatus(answer, expected, `${name}: ${path}`);
    }
  });
}

for (const path of ['/', '/livez', '/readyz', '/healthz', '/clusters/shop/livez', '/clusters/shop/version']) {
  test(`${path} is served to all clients`, async () => {
    for (const name of identityNames) expectStatus(await identities.callers[name].send(path), 200, name);
  });
}

for (const path of ['/nothing', '/clusters', '/api', '/apis', '/api/v1/secrets', '/admin', '/admin/backup/x']) {
  test(`${path} does not exist for any client`, async () => {
    for (const name of identityNames) expectStatus(await identities.callers[name].send(path), 404, name);
  });
}

test('a service account of one logical cluster is unknown in another, and at the landscape itself', async () => {
  const wide = identities.callers['account with a cluster role'];
  for (const cluster of ['platform', 'onboarding', 'no-such-cluster'])
    expectFailure(await wide.send(`/clusters/${cluster}/api/v1/namespaces`), 401);
});

test('a token that is wrong is rejected even when the connection has a good certificate', async () => {
  const carol = identities.callers['certificate user'];
  const headers = { authorization: 'Bearer wrong' };
  expectFailure(await carol.send('/clusters/shop/api/v1/configmaps', { headers }), 401);
});

test('methods that a resource does not take are rejected', async () => {
  for (const method of ['PUT', 'PATCH']) {
    const answer = await admin.send('/clusters/shop/api/v1/namespaces/default/configmaps', { method, body: {} });
    expectFailure(answer, 405, method);
  }
  const post = await admin.send('/clusters/shop/api/v1/namespaces/default/configmaps/there', { body: {} });
  expectFailure(post, 405);
});

test('a role limited to one name does not allow creating others, whatever the selector of the request', async () => {
  const name = 'limited';
  const rules = [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] }];
  const rbac = '/clusters/shop/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const { token } = await createAccount(admin, 'shop', name);
  await create(admin, `${rbac}/roles`, role('Role', name, rules));
  const subject = { kind: 'ServiceAccount', name, namespace: 'default' } as const;
  await create(admin, `${rbac}/rolebindings`, binding('RoleBinding', `Role/${name}`, [subject]));
  await using caller = createCaller(landscape, { token });
  for (const query of ['', '?fieldSelector=metadata.name%3Dmine']) {
    const path = `/clusters/shop/api/v1/namespaces/default/configmaps${query}`;
    expectFailure(await caller.send(path, { body: configMap('other') }), 403, query);
  }
});
