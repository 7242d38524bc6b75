import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { SignJWT } from 'jose';
import { stringify } from 'yaml';
import { type Answer, type Caller, createCaller } from './support/caller.ts';
import { binding, create, createCluster, expectFailure, expectStatus, rbacPath } from './support/objects.ts';
import { OidcIssuer } from './support/oidc-issuer.ts';

let folder: TempFolder;
let issuer: OidcIssuer;
let second: OidcIssuer;
let late: OidcIssuer;
let landscape: TestLandscape;
let admin: Caller;

before(async () => {
  folder = await tempFolder();
  issuer = await OidcIssuer.start({ alice: [], bob: ['builders', 'system:masters'], 'system:admin': [] });
  second = await OidcIssuer.start({});
  late = await OidcIssuer.start({ dora: [] });
  const rules = { audiences: ['chandlery'], groupsClaim: 'groups', groupsPrefix: 'oidc:' };
  const oidc = [
    { issuer: issuer.url, usernamePrefix: 'oidc:', ...rules },
    { issuer: second.url, usernamePrefix: 'second:', ...rules },
    { issuer: late.url, usernamePrefix: 'late:', ...rules },
  ];
  await writeFile(folder.join('chandlery.yaml'), stringify({ oidc }));
  landscape = await startTestLandscape({ flags: ['--config', folder.join('chandlery.yaml')] });
  admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop', [
    { kind: 'User', name: 'oidc:alice' },
    { kind: 'User', name: 'oidc:mallory' },
    { kind: 'User', name: 'late:dora' },
  ]);
  const view = binding('ClusterRoleBinding', 'ClusterRole/view', [{ kind: 'Group', name: 'oidc:builders' }]);
  await create(admin, `${rbacPath('shop')}/clusterrolebindings`, view);
});

after(async () => {
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await second?.[Symbol.asyncDispose]();
  await late?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function ask(token: string, path = '/clusters/shop/api/v1/secrets'): Promise<Answer> {
  await using caller = createCaller(landscape, { token });
  return await caller.send(path);
}

async function whoAmI(token: string): Promise<{ username: string; groups: string[] }> {
  await using caller = createCaller(landscape, { token });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await caller.send('/clusters/shop/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
  return expectStatus(answer, 201).json<{ status: { userInfo: { username: string; groups: string[] } } }>().status
    .userInfo;
}

test('the service manager says where its clients log in: at the provider that is named first', async () => {
  const info = expectStatus(await admin.send('/v1/info'), 200).json<{ token_issuer_url: string }>();
  assert.equal(info.token_issuer_url, issuer.url);
});

test('a user who logs in has the configured name', async () => {
  const token = await issuer.login('alice');
  const { username, groups } = await whoAmI(token);
  assert.deepEqual([username, groups], ['oidc:alice', ['system:authenticated']]);
  expectStatus(await ask(token), 200);
});

test('groups of the token give rights, but never those that are ours to give', async () => {
  const token = await issuer.login('bob');
  assert.deepEqual((await whoAmI(token)).groups, ['oidc:builders', 'oidc:system:masters', 'system:authenticated']);
  expectStatus(await ask(token, '/clusters/shop/api/v1/configmaps'), 200);
  expectFailure(await ask(token), 403);
  expectFailure(await ask(token, '/clusters/platform/api/v1/configmaps'), 403);
});

test('a genuine token with chosen claims is accepted, so the rejections below are for what they change', async () => {
  expectStatus(await ask(await issuer.forge({})), 200);
});

const seconds = (): number => Math.floor(Date.now() / 1000);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = () => ({ iss: issuer.url, aud: 'chandlery', sub: 'mallory', iat: seconds(), exp: seconds() + 600 });

const refused: readonly { readonly what: string; readonly token: () => Promise<string> }[] = [
  { what: 'meant for another client', token: () => issuer.login('alice', 'another-app') },
  { what: 'for another audience', token: () => issuer.forge({ aud: 'another-app' }) },
  { what: 'without an audience', token: () => issuer.forge({ aud: undefined }) },
  { what: 'of an issuer that is not configured', token: () => issuer.forge({ iss: 'https://evil.example.org' }) },
  { what: 'of our other issuer, signed by this one', token: () => issuer.forge({ iss: second.url }) },
  { what: 'that has expired', token: () => issuer.forge({ exp: seconds() - 1 }) },
  { what: 'that never expires', token: () => issuer.forge({ exp: undefined }) },
  { what: 'that is not valid yet', token: () => issuer.forge({ nbf: seconds() + 300 }) },
  { what: 'without a subject', token: () => issuer.forge({ sub: undefined }) },
  { what: 'with a subject that is no text', token: () => issuer.forge({ sub: 7 as unknown as string }) },
  { what: 'with groups that are no names', token: () => issuer.forge({ groups: [{ admin: true }] }) },
  {
    what: 'signed with an unknown key',
    token: () =>
      issuer.forge({}, { kid: 'unknown', key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }),
  },
  {
    what: "signed with another key under the known key's id",
    token: () =>
      issuer.forge({}, { kid: issuer.key.kid, key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }),
  },
  { what: 'without a signature', token: async () => `${encode({ alg: 'none' })}.${encode(claims())}.` },
  {
    what: 'with algorithm none and some signature',
    token: async () => `${encode({ alg: 'none' })}.${encode(claims())}.eA`,
  },
  {
    what: 'forged with the public key as an HMAC secret',
    token: () => {
      const pem = createPublicKey(issuer.key.key).export({ type: 'spki', format: 'pem' });
      const header = { alg: 'HS256', kid: issuer.key.kid };
      return new SignJWT(claims()).setProtectedHeader(header).sign(Buffer.from(pem));
    },
  },
  {
    what: 'whose claims were changed afterwards',
    token: async () => {
      const [header, , signature] = (await issuer.forge({})).split('.');
      return `${header}.${encode({ ...claims(), sub: 'alice' })}.${signature}`;
    },
  },
  {
    what: 'that pretends to be of a service account',
    token: () => issuer.forge({ iss: 'https://chandlery.local/clusters/shop' }),
  },
];

for (const { what, token } of refused) {
  test(`a token ${what} is rejected`, async () => {
    expectFailure(await ask(await token()), 401);
  });
}

test('rejections all look the same: they do not reveal what was nearly right', async () => {
  const texts = await Promise.all(refused.map(async ({ token }) => (await ask(await token())).text));
  assert.equal(new Set(texts).size, 1, [...new Set(texts)].join('\n'));
});

test('while the provider is down, known keys still work', async () => {
  const token = await issuer.login('alice');
  await issuer.close();
  expectStatus(await ask(token), 200);
  expectStatus(await ask(await issuer.forge({ sub: 'mallory', jti: 'fresh' })), 200);
  await issuer.listen();
});

test('a provider that cannot be reached the first time is a temporary failure that says so', async () => {
  const token = await late.login('dora');
  await late.close();
  const { message, details } = expectFailure(await ask(token), 503);
  assert.match(message ?? '', new RegExp(late.url));
  assert.equal(details?.['retryAfterSeconds'], 1);
  await late.listen();
});
