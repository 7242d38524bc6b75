import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { ManualClock } from '../time/clock.ts';
import { signJwt, unverifiedClaims } from './jwt.ts';
import { ServiceAccountTokens, type TokenRequest } from './service-account-tokens.ts';

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const signingKey = newKey();
const tokens = new ServiceAccountTokens({ signingKey });
const now = new Date('2030-01-01T00:00:00Z');
const request: TokenRequest = { cluster: 'onboarding', namespace: 'default', name: 'robot', uid: 'u-1', now };
const kid = tokens.jwks().keys[0]?.kid as string;

test('a token names its bearer, as in Kubernetes', () => {
  const { token, expirationTimestamp } = tokens.issue({
    ...request,
    boundObject: { kind: 'Pod', name: 'web-1', uid: 'p-1' },
  });
  assert.equal(expirationTimestamp, '2030-01-01T01:00:00Z');
  const { extra, ...identity } = tokens.verify(token, { cluster: 'onboarding', now });
  assert.deepEqual(identity, {
    cluster: 'onboarding',
    namespace: 'default',
    name: 'robot',
    uid: 'u-1',
    username: 'system:serviceaccount:default:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
    audiences: ['https://chandlery.local/clusters/onboarding'],
    boundObject: { kind: 'Pod', name: 'web-1', uid: 'p-1' },
    expiresAt: new Date('2030-01-01T01:00:00Z'),
  });
  assert.deepEqual(extra['authentication.kubernetes.io/pod-name'], ['web-1']);
  assert.match(extra['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^JTI=/);
});

test('another implementation verifies the token with the published keys', async () => {
  const { token } = tokens.issue({ ...request, audiences: ['vault'] });
  const { payload, protectedHeader } = await jwtVerify(
    token,
    createLocalJWKSet(tokens.jwks() as unknown as JSONWebKeySet),
    {
      issuer: 'https://chandlery.local/clusters/onboarding',
      audience: 'vault',
      algorithms: ['ES256'],
      currentDate: now,
    },
  );
  assert.equal(payload.sub, 'system:serviceaccount:default:robot');
  assert.equal(payload.nbf, payload.iat);
  assert.deepEqual(payload['kubernetes.io'], { namespace: 'default', serviceaccount: { name: 'robot', uid: 'u-1' } });
  assert.equal(protectedHeader.kid, kid);
});

test('the published keys hold no private part', () => {
  assert.deepEqual(Object.keys(tokens.jwks().keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

const lives: readonly { wanted: number | undefined; seconds: number }[] = [
  { wanted: undefined, seconds: 3600 },
  { wanted: 600, seconds: 600 },
  { wanted: 172_800, seconds: 172_800 },
  { wanted: 31_536_000, seconds: 31_536_000 },
  { wanted: 31_536_001, seconds: 31_536_000 },
];
for (const { wanted, seconds } of lives) {
  test(`a wanted life of ${wanted ?? 'nothing in particular'} becomes ${seconds} seconds`, () => {
    const { expirationTimestamp } = tokens.issue({
      ...request,
      ...(wanted === undefined ? {} : { expirationSeconds: wanted }),
    });
    assert.equal(Date.parse(expirationTimestamp) - now.getTime(), seconds * 1000);
  });
}

for (const expirationSeconds of [599, 0, -1, 700.5, Number.NaN]) {
  test(`a wanted life of ${expirationSeconds} seconds is rejected as Kubernetes does`, () => {
    assert.throws(() => tokens.issue({ ...request, expirationSeconds }), {
      code: 'Invalid',
      message: /less than 10 minutes/,
    });
  });
}

test('expiry is exact, also for tokens that were verified before', () => {
  const clock = new ManualClock(now);
  const { token } = tokens.issue({ ...request, expirationSeconds: 600 });
  tokens.verify(token, { now: clock.now() });
  clock.advance(600_000 - 1);
  tokens.verify(token, { now: clock.now() });
  clock.advance(1);
  assert.throws(() => tokens.verify(token, { now: clock.now() }), { code: 'TokenExpired' });
});

test('a token from a replica whose clock is a little ahead is accepted, one from the future is not', () => {
  const { token } = tokens.issue(request);
  tokens.verify(token, { now: new Date(now.getTime() - 9_000) });
  assert.throws(() => tokens.verify(token, { now: new Date(now.getTime() - 11_000) }), { code: 'TokenNotYetValid' });
});

test('a token is good in its own logical cluster and for its own audiences only, cached or not', () => {
  const { token } = tokens.issue({ ...request, audiences: ['a', 'b'] });
  for (let round = 0; round < 2; round++) {
    assert.equal(tokens.verify(token, { cluster: 'onboarding', audiences: ['b', 'c'], now }).name, 'robot');
    assert.throws(() => tokens.verify(token, { cluster: 'platform', audiences: ['a'], now }), {
      code: 'TokenWrongCluster',
    });
    assert.throws(() => tokens.verify(token, { audiences: ['c'], now }), { code: 'TokenWrongAudience' });
    assert.throws(() => tokens.verify(token, { now }), { code: 'TokenWrongAudience' });
  }
});

const genuine = tokens.issue(request).token;
const [header = '', claims = '', signature = ''] = genuine.split('.');
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;

const forgeries: readonly { why: string; token: string; code: string }[] = [
  { why: 'nothing', token: '', code: 'TokenMalformed' },
  { why: 'some other string', token: 'letmein', code: 'TokenMalformed' },
  { why: 'four parts', token: `${genuine}.x`, code: 'TokenMalformed' },
  { why: 'claims that are no object', token: `${header}.${encode([])}.${signature}`, code: 'TokenMalformed' },
  { why: 'a second spelling of the same bytes', token: `${genuine}=`, code: 'TokenMalformed' },
  { why: 'no signature', token: `${header}.${claims}.`, code: 'TokenSignatureInvalid' },
  { why: 'algorithm none', token: `${encode({ alg: 'none', kid })}.${claims}.`, code: 'TokenAlgorithmNotAllowed' },
  {
    why: 'a symmetric algorithm',
    token: `${encode({ alg: 'HS256', kid })}.${claims}.${signature}`,
    code: 'TokenAlgorithmNotAllowed',
  },
  {
    why: 'an unknown key id',
    token: `${encode({ alg: 'ES256', kid: 'x' })}.${claims}.${signature}`,
    code: 'TokenUnknownKey',
  },
  {
    why: 'changed claims',
    token: `${header}.${encode({ ...decoded, exp: 9e9 })}.${signature}`,
    code: 'TokenSignatureInvalid',
  },
  { why: 'a foreign key under our key id', token: signJwt(decoded, newKey(), kid), code: 'TokenSignatureInvalid' },
  {
    why: 'another issuer',
    token: signJwt({ ...decoded, iss: 'https://x' }, signingKey, kid),
    code: 'TokenWrongIssuer',
  },
  { why: 'no expiry', token: signJwt({ ...decoded, exp: undefined }, signingKey, kid), code: 'TokenClaimMissing' },
  {
    why: 'a subject unlike its account',
    token: signJwt({ ...decoded, sub: 'root' }, signingKey, kid),
    code: 'TokenClaimMissing',
  },
  {
    why: 'no service account',
    token: signJwt({ ...decoded, 'kubernetes.io': {} }, signingKey, kid),
    code: 'TokenClaimMissing',
  },
];
for (const { why, token, code } of forgeries) {
  test(`a token with ${why} is rejected with ${code}`, () => {
    assert.throws(() => tokens.verify(token, { now }), { code });
    assert.throws(() => tokens.verify(token, { now }), { code }, 'the second time too');
  });
}

test('the public key does not serve as a shared secret', async () => {
  const secret = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' });
  const token = await new SignJWT({ ...decoded }).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(secret));
  assert.throws(() => tokens.verify(token, { now }), { code: 'TokenAlgorithmNotAllowed' });
});

test('tokens stay good when more of them are about than are remembered', () => {
  const forgetful = new ServiceAccountTokens({ signingKey, cacheSize: 2 });
  const several = Array.from({ length: 5 }, () => forgetful.issue(request).token);
  for (const token of [...several, ...several]) assert.equal(forgetful.verify(token, { now }).name, 'robot');
});

test('the claimed issuer decides who verifies a token', () => {
  assert.equal(unverifiedClaims(genuine)?.issuer, tokens.issuerOf('onboarding'));
  assert.equal(tokens.isFromHere(tokens.issuerOf('onboarding')), true);
  assert.equal(tokens.isFromHere('https://accounts.example.org'), false);
  assert.equal(unverifiedClaims('no token'), undefined);
});
