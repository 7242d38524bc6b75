import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openLandscapeKeys, ServiceAccountTokens } from '@chandlery/platform';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import {
  corePath,
  create,
  createAccount,
  createCluster,
  expectFailure,
  expectStatus,
  pod,
  requestToken,
  secret,
  tokenFrom,
} from './support/objects.ts';

let landscape: TestLandscape;
let admin: Caller;
let tokens: ServiceAccountTokens;

before(async () => {
  landscape = await startTestLandscape();
  admin = createCaller(landscape, { token: landscape.token });
  const keys = openLandscapeKeys(`${landscape.dataDir}/keys`, { now: new Date() });
  tokens = new ServiceAccountTokens({ signingKey: keys.serviceAccountKey });
  await createCluster(admin, 'shop');
});

after(async () => {
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
});

const accounts = `${corePath('shop', 'default')}/serviceaccounts`;

/** What discovery answers to a token: 200 for any account of the cluster. */
async function statusFor(token: string, path = '/clusters/shop/api'): Promise<number> {
  await using caller = createCaller(landscape, { token });
  return (await caller.send(path)).status;
}

test('a token works until its end, and not after it', async () => {
  const { token, uid } = await createAccount(admin, 'shop', 'timed');
  const at = (secondsAgo: number) =>
    tokenFrom(tokens, { cluster: 'shop', name: 'timed', uid }, new Date(Date.now() - secondsAgo * 1000));
  assert.equal(await statusFor(token), 200);
  assert.equal(await statusFor(at(500)), 200, 'within its ten minutes');
  assert.equal(await statusFor(at(601)), 401, 'after its ten minutes');
  assert.equal(await statusFor(at(-60)), 401, 'before its time');
});

test('what a token says must fit: cluster, account, key', async () => {
  const { uid } = await createAccount(admin, 'shop', 'fitting');
  const forged = new ServiceAccountTokens({
    signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  });
  const right = { cluster: 'shop', name: 'fitting', uid };
  assert.equal(await statusFor(tokenFrom(tokens, right, new Date())), 200);
  assert.equal(await statusFor(tokenFrom(forged, right, new Date())), 401, 'another key');
  for (const wrong of [{ cluster: 'onboarding' }, { name: 'other' }, { uid: 'other' }]) {
    assert.equal(await statusFor(tokenFrom(tokens, { ...right, ...wrong }, new Date())), 401, JSON.stringify(wrong));
  }
});

test('the shortest life is ten minutes', async () => {
  await createAccount(admin, 'shop', 'short');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 599 } };
  expectFailure(await admin.send(`${accounts}/short/token`, { body }), 422);
  assert.equal(await statusFor(await requestToken(admin, 'shop', 'short', { expirationSeconds: 600 })), 200);
});

test("a deleted account's token dies at once, and a new account of that name does not revive it", async () => {
  const { token: old } = await createAccount(admin, 'shop', 'twice');
  assert.equal(await statusFor(old), 200);
  expectStatus(await admin.send(`${accounts}/twice`, { method: 'DELETE' }), 200);
  assert.equal(await statusFor(old), 401);
  const { token } = await createAccount(admin, 'shop', 'twice');
  assert.equal(await statusFor(old), 401);
  assert.equal(await statusFor(token), 200);
});

for (const [kind, plural, object] of [
  ['Secret', 'secrets', secret('anchor')],
  ['Pod', 'pods', pod('anchor')],
] as const) {
  test(`a token bound to a ${kind} dies with it, and does not come back with one of the same name`, async () => {
    await createAccount(admin, 'shop', `bound-to-${plural}`);
    const path = `${corePath('shop', 'default')}/${plural}`;
    await create(admin, path, object);
    const boundObjectRef = { apiVersion: 'v1', kind, name: 'anchor' };
    const token = await requestToken(admin, 'shop', `bound-to-${plural}`, { boundObjectRef });
    assert.equal(await statusFor(token), 200);
    expectStatus(await admin.send(`${path}/anchor?gracePeriodSeconds=0`, { method: 'DELETE' }), 200);
    assert.equal(await statusFor(token), 401);
    await create(admin, path, object);
    assert.equal(await statusFor(token), 401);
  });
}

test('a token cannot be bound to what is not there, or has another uid', async () => {
  await createAccount(admin, 'shop', 'unbound');
  const ask = (boundObjectRef: object) =>
    admin.send(`${accounts}/unbound/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } },
    });
  await create(admin, `${corePath('shop', 'default')}/secrets`, secret('present'));
  expectFailure(await ask({ apiVersion: 'v1', kind: 'Secret', name: 'absent' }), 404);
  expectFailure(await ask({ apiVersion: 'v1', kind: 'Secret', name: 'present', uid: 'wrong' }), 409);
  expectFailure(await ask({ apiVersion: 'v1', kind: 'ConfigMap', name: 'present' }), 400);
});

test('a token for another audience is rejected here, and a review names its audience', async () => {
  await createAccount(admin, 'shop', 'courier');
  const token = await requestToken(admin, 'shop', 'courier', { audiences: ['vault', 'billing'] });
  assert.equal(await statusFor(token), 401);
  const review = async (audiences?: readonly string[]) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
    const answer = await admin.send('/clusters/shop/apis/authentication.k8s.io/v1/tokenreviews', { body });
    const { status } = expectStatus(answer, 201).json<{ status: { authenticated: boolean; audiences?: string[] } }>();
    assert.ok(!answer.text.includes(token), 'the token is not sent back');
    return [status.authenticated, status.audiences];
  };
  assert.deepEqual(await review(), [false, undefined]);
  assert.deepEqual(await review(['mail']), [false, undefined]);
  assert.deepEqual(await review(['mail', 'vault']), [true, ['vault']]);
});

test('a review does not accept a token of the API for another audience', async () => {
  const { token } = await createAccount(admin, 'shop', 'plain');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences: ['vault'] } };
  const answer = await admin.send('/clusters/shop/apis/authentication.k8s.io/v1/tokenreviews', { body });
  assert.equal(answer.json<{ status: { authenticated: boolean } }>().status.authenticated, false);
});

test('tokens die with their logical cluster, and with their namespace', async () => {
  await createCluster(admin, 'passing');
  const { token } = await createAccount(admin, 'passing', 'guest');
  assert.equal(await statusFor(token, '/clusters/passing/api'), 200);
  const path = '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters/passing';
  expectStatus(await admin.send(path, { method: 'DELETE' }), 200);
  await eventually(async () => (await admin.send(path)).status === 404, { what: 'the logical cluster to go' });
  assert.equal(await statusFor(token, '/clusters/passing/api'), 401);
  await createCluster(admin, 'passing');
  await createAccount(admin, 'passing', 'guest');
  assert.equal(await statusFor(token, '/clusters/passing/api'), 401);
});

test('tokens survive a restart of the landscape', async () => {
  const { token } = await createAccount(admin, 'shop', 'patient');
  await landscape.restart();
  assert.equal(await statusFor(token), 200);
});
