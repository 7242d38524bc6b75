import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { apiError } from '@chandlery/api';
import type { VerifyBearer } from '@chandlery/fleet';
import { FleetTokens, systemClock } from '@chandlery/platform';
import { exportJWK, SignJWT } from 'jose';
import { createVerifyBearer } from './fleet-tokens.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const landscapeTokens = new FleetTokens({ signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey });
const findUser = async (token: string) => {
  if (token.startsWith('eyJ')) return { type: 'member', username: 'zoe', tenants: () => ['zoes'] } as const;
  throw apiError('Unauthorized', 'Unauthorized');
};
const adminToken = { matches: (candidate: string) => candidate === 'the-admin-token' };

let server: Server;
let issuer: string;
let verify: VerifyBearer;
before(async () => {
  const keys = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', use: 'sig' },
    { ...(await exportJWK(ec.publicKey)), kid: 'ec', use: 'sig' },
  ];
  server = createServer((request, response) => {
    const isKeys = request.url === '/keys';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  verify = createVerifyBearer({
    adminToken,
    landscapeTokens,
    oidc: [{ issuer, audiences: ['fleet'] }],
    findUser,
    clock: systemClock,
  });
});
after(() => void server.close());

interface Signing {
  readonly alg?: string;
  readonly kid?: string;
  readonly key?: KeyObject;
  readonly claims?: Readonly<Record<string, unknown>>;
}

const sign = ({ alg = 'RS256', kid = 'rsa', key = rsa.privateKey, claims = {} }: Signing = {}): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  const whole = {
    iss: issuer,
    aud: 'fleet',
    iat: now,
    exp: now + 60,
    typ: 'Bearer',
    username: 'ann',
    org_id: 'acme',
    ...claims,
  };
  return new SignJWT(whole).setProtectedHeader({ alg, kid }).sign(key);
};

test('a token of a configured issuer is verified, whether or not it has a subject', async () => {
  const verified = await verify(await sign());
  assert.deepEqual([verified.type, verified.type === 'verified' && verified.claims['username']], ['verified', 'ann']);
});

test("the landscape's own tokens and the administrator's are verified", async () => {
  const { token } = landscapeTokens.issue({ username: 'ann', organisation: 'acme', now: new Date() });
  const own = await verify(token);
  assert.deepEqual([own.type, own.type === 'verified' && own.issuer], ['verified', landscapeTokens.issuer]);
  assert.deepEqual(await verify('the-admin-token'), { type: 'operator', username: 'admin' });
});

test('a token that names no organisation is one of a user of the landscape', async () => {
  const { type } = await verify(await sign({ claims: { org_id: undefined } }));
  assert.equal(type, 'member');
});

test('a token of an issuer that the landscape does not know is rejected', async () => {
  const strict = createVerifyBearer({
    adminToken,
    landscapeTokens,
    oidc: [],
    findUser: async () => {
      throw apiError('Unauthorized', 'Unauthorized');
    },
    clock: systemClock,
  });
  assert.deepEqual(await strict(await sign()), {
    type: 'rejected',
    reason: 'Bearer token was issued by an unknown issuer',
  });
});

const rejected: readonly { why: string; token: () => Promise<string>; reason: RegExp }[] = [
  { why: 'no JWT', token: async () => 'abc', reason: /malformed/ },
  { why: 'another audience', token: () => sign({ claims: { aud: 'x' } }), reason: /audience/ },
  { why: 'no audience', token: () => sign({ claims: { aud: undefined } }), reason: /audience/ },
  { why: 'it has expired', token: () => sign({ claims: { exp: 1000 } }), reason: /expired/ },
  { why: 'no end', token: () => sign({ claims: { exp: undefined } }), reason: /exp/ },
  { why: 'not valid yet', token: () => sign({ claims: { nbf: 4e9 } }), reason: /valid yet/ },
  { why: 'an unknown key', token: () => sign({ kid: 'other' }), reason: /key is unknown/ },
  { why: 'a wrong signature', token: () => sign({ key: otherRsa.privateKey }), reason: /Signature/ },
  {
    why: 'ES256 of an outside issuer',
    token: () => sign({ alg: 'ES256', kid: 'ec', key: ec.privateKey }),
    reason: /algorithm/,
  },
  { why: 'RS512', token: () => sign({ alg: 'RS512' }), reason: /algorithm/ },
  {
    why: "a forged token of the landscape's issuer",
    token: () => sign({ claims: { iss: landscapeTokens.issuer } }),
    reason: /algorithm/,
  },
];

for (const { why, token, reason } of rejected) {
  test(`a token is rejected with a reason of its own: ${why}`, async () => {
    const result = await verify(await token());
    assert.equal(result.type, 'rejected');
    assert.match(result.type === 'rejected' ? result.reason : '', reason);
  });
}

test('an issuer that cannot be reached is no fault of the bearer', async () => {
  const away = 'http://127.0.0.1:9';
  const verifyAway = createVerifyBearer({
    adminToken,
    landscapeTokens,
    oidc: [{ issuer: away, audiences: ['fleet'] }],
    findUser,
    clock: systemClock,
  });
  assert.equal((await verifyAway(await sign({ claims: { iss: away } }))).type, 'unavailable');
});
