import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { createCertificateAuthority } from '../pki/certificate-authority.ts';
import { issueCertificate } from '../pki/issue-certificate.ts';
import { ManualClock } from '../time/clock.ts';
import { createOidcVerifier, type OidcOptions } from './oidc.ts';

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: KeyObject;
}

const rsaKey = (kid: string): SigningKey => ({
  kid,
  alg: 'RS256',
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
});
const ecKey = (kid: string): SigningKey => ({
  kid,
  alg: 'ES256',
  key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});
const edKey = (kid: string): SigningKey => ({ kid, alg: 'EdDSA', key: generateKeyPairSync('ed25519').privateKey });
const [firstKey, secondKey, ellipticKey, edwardsKey] = [
  rsaKey('first'),
  rsaKey('second'),
  ecKey('third'),
  edKey('fourth'),
];

/** The real oidc-provider, with a client that gets JWT access tokens for the audience `chandlery`. */
function realProvider(issuer: string, keys: readonly SigningKey[]): RequestListener {
  const { alg } = keys[0] as SigningKey;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'robot',
        client_secret: 'robots-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: keys.map(({ kid, alg, key }) => ({ ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' })) },
    cookies: { keys: ['test'] },
    extraTokenClaims: () => ({ groups: ['builders', 'system:masters'], tenant: 'blue' }),
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:chandlery',
        getResourceServerInfo: () => ({
          scope: 'api',
          audience: 'chandlery',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  return provider.callback();
}

/** A provider's server: what it runs can be exchanged, requests for keys are counted. */
class TestIssuer implements AsyncDisposable {
  readonly server: Server = createServer((request, response) => {
    if (request.url?.includes('openid-configuration')) this.discoveries++;
    this.handler(request, response);
  });
  handler: RequestListener = (_request, response) => void response.writeHead(500).end();
  discoveries = 0;

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  static async start(...keys: readonly SigningKey[]): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    issuer.server.listen(0, '127.0.0.1');
    await once(issuer.server, 'listening');
    issuer.useKeys(...keys);
    return issuer;
  }

  useKeys(...keys: readonly SigningKey[]): void {
    this.handler = realProvider(this.issuer, keys);
  }

  async requestToken(): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('robot:robots-secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' }),
    });
    const body = (await response.json()) as { access_token?: string };
    assert.ok(body.access_token, JSON.stringify(body));
    return body.access_token;
  }

  verifier(options: Partial<OidcOptions> = {}) {
    return createOidcVerifier({ issuer: this.issuer, audiences: ['chandlery'], ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

for (const key of [firstKey, ellipticKey, edwardsKey]) {
  test(`a real provider's ${key.alg} token is accepted`, async () => {
    await using provider = await TestIssuer.start(key, ...(key === firstKey ? [] : [firstKey]));
    const identity = await provider.verifier({ groupsClaim: 'groups' }).verify(await provider.requestToken());
    assert.equal(identity.username, `${provider.issuer}#robot`);
    assert.deepEqual(identity.groups, ['builders']);
    assert.equal(identity.claims.tenant, 'blue');
  });
}

test('keys are fetched once, not per token', async () => {
  await using provider = await TestIssuer.start(firstKey);
  const verifier = provider.verifier();
  const token = await provider.requestToken();
  await Promise.all([verifier.verify(token), verifier.verify(token), verifier.verify(token)]);
  await verifier.verify(token);
  assert.equal(provider.discoveries, 1);
});

test('a new key of the provider is picked up, but forged tokens cannot trigger repeated requests', async () => {
  await using provider = await TestIssuer.start(firstKey);
  const clock = new ManualClock(new Date());
  const verifier = provider.verifier({ clock });
  await verifier.verify(await provider.requestToken());

  provider.useKeys(secondKey);
  const token = await provider.requestToken();
  await assert.rejects(verifier.verify(token), { code: 'TokenUnknownKey' });
  assert.equal(provider.discoveries, 1);

  clock.advance(10_000);
  assert.match((await verifier.verify(token)).username, /#robot$/);
  assert.equal(provider.discoveries, 2);

  clock.advance(10_000);
  const strange = await mint(rsaKey('strange'), provider.issuer, { iat: clock.now().getTime() / 1000 });
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(verifier.verify(strange), { code: 'TokenUnknownKey' });
  assert.equal(provider.discoveries, 3);
});

test('old keys are refreshed in the background', async () => {
  await using provider = await TestIssuer.start(firstKey);
  const clock = new ManualClock(new Date());
  const verifier = provider.verifier({ clock, maxAgeMs: 60_000 });
  const token = await provider.requestToken();
  await verifier.verify(token);
  clock.advance(60_000);
  const asked = once(provider.server, 'request');
  await verifier.verify(token);
  await asked;
  assert.equal(provider.discoveries, 2);
});

test('while the provider is down, known keys do and unknown ones are "unavailable"', async () => {
  const provider = await TestIssuer.start(firstKey);
  const clock = new ManualClock(new Date());
  const [known, fresh] = [provider.verifier({ clock }), provider.verifier({ clock })];
  const token = await provider.requestToken();
  await known.verify(token);
  const strange = await mint(rsaKey('strange'), provider.issuer, {});
  await provider[Symbol.asyncDispose]();

  clock.advance(300_000);
  assert.match((await known.verify(token)).username, /robot/);
  await assert.rejects(known.verify(strange), { code: 'OidcUnavailable' });
  await assert.rejects(fresh.verify(token), {
    code: 'OidcUnavailable',
    message: /cannot get the keys/,
    hint: /provider/,
  });
});

test('a check says whether the provider can be asked, and delays no token after a failure', async () => {
  await using provider = await TestIssuer.start(firstKey);
  const token = await provider.requestToken();
  const verifier = provider.verifier();
  await verifier.check();
  const works = provider.handler;
  provider.handler = (_request, response) => void response.writeHead(503).end();
  await assert.rejects(verifier.check(), { code: 'OidcUnavailable', message: /503/ });
  provider.handler = works;
  assert.match((await verifier.verify(token)).username, /robot/);
});

test('after an outage a verifier recovers by itself, without storming the provider', async () => {
  await using provider = await TestIssuer.start(firstKey);
  const token = await provider.requestToken();
  const clock = new ManualClock(new Date());
  const verifier = provider.verifier({ clock });
  const works = provider.handler;
  provider.handler = (_request, response) => void response.writeHead(503).end();
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(verifier.verify(token), { code: 'OidcUnavailable', message: /503/ });
  assert.equal(provider.discoveries, 1);
  provider.handler = works;
  clock.advance(10_000);
  assert.match((await verifier.verify(token)).username, /robot/);
});

const brokenProviders: readonly { why: string; handler: RequestListener; message: RegExp }[] = [
  { why: 'never answers', handler: () => undefined, message: /abort|timeout/i },
  {
    why: 'answers half',
    handler: (_request, response) => void response.writeHead(200).write('{'),
    message: /abort|timeout/i,
  },
  { why: 'answers no JSON', handler: (_request, response) => void response.end('<html>'), message: /JSON/ },
  { why: 'answers null', handler: (_request, response) => void response.end('null'), message: /discovery document/ },
  {
    why: 'answers without end',
    handler: (_request, response) => void response.end('x'.repeat(2_000_000)),
    message: /more than/,
  },
  {
    why: 'is another issuer',
    handler: (_request, response) => void response.end('{"issuer":"https://evil"}'),
    message: /https:\/\/evil/,
  },
  {
    why: 'redirects',
    handler: (_request, response) => void response.writeHead(302, { location: '/x' }).end(),
    message: /302/,
  },
];
for (const { why, handler, message } of brokenProviders) {
  test(`a provider that ${why} is unavailable, and no request hangs`, async () => {
    await using provider = await TestIssuer.start(firstKey);
    provider.handler = handler;
    const token = await mint(firstKey, provider.issuer, {});
    await assert.rejects(provider.verifier({ timeoutMs: 200 }).verify(token), { code: 'OidcUnavailable', message });
  });
}

/** A token as the provider would sign it, but with claims of our choice. */
async function mint(
  key: SigningKey,
  issuer: string,
  claims: JWTPayload,
  header: Record<string, unknown> = {},
): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const payload = { iss: issuer, aud: 'chandlery', sub: 'jane', exp: seconds + 600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.key);
}

const unsigned = (issuer: string): string => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ iss: issuer, aud: 'chandlery', sub: 'jane', exp: 9e9 })}.`;
};

test('each defect of a token has its own code', async t => {
  await using provider = await TestIssuer.start(firstKey);
  const { issuer } = provider;
  const seconds = Math.floor(Date.now() / 1000);
  const cases: readonly {
    why: string;
    token: string | Promise<string>;
    code: string;
    options?: Partial<OidcOptions>;
  }[] = [
    { why: 'no JWT', token: 'hello', code: 'TokenMalformed' },
    { why: 'an opaque second issuer', token: mint(firstKey, 'https://other', {}), code: 'TokenWrongIssuer' },
    { why: 'another audience', token: mint(firstKey, issuer, { aud: ['other'] }), code: 'TokenWrongAudience' },
    { why: 'no audience', token: mint(firstKey, issuer, { aud: undefined }), code: 'TokenWrongAudience' },
    { why: 'an end just passed', token: mint(firstKey, issuer, { exp: seconds }), code: 'TokenExpired' },
    { why: 'an end long passed', token: mint(firstKey, issuer, { exp: 1000 }), code: 'TokenExpired' },
    { why: 'no end', token: mint(firstKey, issuer, { exp: undefined }), code: 'TokenClaimMissing' },
    { why: 'a later start', token: mint(firstKey, issuer, { nbf: seconds + 60 }), code: 'TokenNotYetValid' },
    { why: 'a key of its own', token: mint(rsaKey('own'), issuer, {}), code: 'TokenUnknownKey' },
    {
      why: "a key of its own under the provider's id",
      token: mint(rsaKey('first'), issuer, {}),
      code: 'TokenSignatureInvalid',
    },
    { why: 'algorithm none', token: unsigned(issuer), code: 'TokenAlgorithmNotAllowed' },
    {
      why: 'a symmetric algorithm',
      token: new SignJWT({ iss: issuer, aud: 'chandlery', sub: 'x' })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new Uint8Array(32)),
      code: 'TokenAlgorithmNotAllowed',
    },
    { why: 'no user name', token: mint(firstKey, issuer, { sub: undefined }), code: 'TokenClaimMissing' },
    {
      why: 'a reserved user name',
      token: mint(firstKey, issuer, { sub: 'system:admin' }),
      code: 'TokenClaimRefused',
      options: { usernamePrefix: '-' },
    },
    {
      why: 'an unverified address',
      token: mint(firstKey, issuer, { email: 'a@b.c', email_verified: false }),
      code: 'TokenClaimRefused',
      options: { usernameClaim: 'email' },
    },
    {
      why: 'groups that are no names',
      token: mint(firstKey, issuer, { groups: [1] }),
      code: 'TokenClaimRefused',
      options: { groupsClaim: 'groups' },
    },
    {
      why: 'a required claim missing',
      token: mint(firstKey, issuer, {}),
      code: 'TokenClaimMissing',
      options: { requiredClaims: { hd: 'x' } },
    },
    {
      why: 'a required claim of another value',
      token: mint(firstKey, issuer, { hd: 'y' }),
      code: 'TokenClaimRefused',
      options: { requiredClaims: { hd: 'x' } },
    },
  ];
  for (const { why, token, code, options } of cases) {
    await t.test(`${why}: ${code}`, async () => {
      await assert.rejects(provider.verifier(options).verify(await token), { code });
    });
  }
});

test('claims become names by the rules', async t => {
  await using provider = await TestIssuer.start(firstKey, secondKey);
  const { issuer } = provider;
  const claims = { email: 'jane@example.org', groups: 'one', tenants: ['blue', 'red'], preferred: 'jj' };
  const token = await mint(secondKey, issuer, claims);
  const cases: readonly { why: string; options: Partial<OidcOptions>; username: string; groups?: string[] }[] = [
    { why: 'by default the issuer stands in front', options: {}, username: `${issuer}#jane` },
    { why: 'an e-mail address stands alone', options: { usernameClaim: 'email' }, username: 'jane@example.org' },
    {
      why: 'a prefix of choice',
      options: { usernameClaim: 'preferred', usernamePrefix: 'corp:' },
      username: 'corp:jj',
    },
    { why: 'no prefix by choice', options: { usernamePrefix: '-' }, username: 'jane' },
    {
      why: 'a single group, prefixed',
      options: { usernamePrefix: '-', groupsClaim: 'groups', groupsPrefix: 'g:' },
      username: 'jane',
      groups: ['g:one'],
    },
    {
      why: 'a required claim in a list',
      options: { usernamePrefix: '-', requiredClaims: { tenants: 'red' } },
      username: 'jane',
    },
  ];
  for (const { why, options, username, groups = [] } of cases) {
    await t.test(why, async () => {
      const identity = await provider.verifier(options).verify(token);
      assert.equal(identity.username, username);
      assert.deepEqual(identity.groups, groups);
    });
  }
});

test('a token without a key id is tried with every key that fits', async () => {
  await using provider = await TestIssuer.start(firstKey, secondKey);
  const token = await mint(secondKey, provider.issuer, {}, { kid: undefined });
  assert.match((await provider.verifier().verify(token)).username, /#jane$/);
  const forged = await mint(rsaKey('x'), provider.issuer, {}, { kid: undefined });
  await assert.rejects(provider.verifier().verify(forged), { code: 'TokenSignatureInvalid' });
});

test('a provider with a certificate of a private authority is trusted through caFile only', async () => {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'corporate', now });
  const { certificatePem, privateKeyPem } = issueCertificate(authority, {
    commonName: 'idp',
    dnsNames: ['localhost'],
    usages: ['server'],
    now,
  });
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-oidc-'));
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, authority.certificatePem);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let issuer = '';
  const server = createTlsServer({ cert: certificatePem, key: privateKeyPem }, (request, response) => {
    const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' }] };
    response.end(JSON.stringify(request.url === '/jwks' ? keys : { issuer, jwks_uri: `${issuer}/jwks` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  try {
    const token = await mint({ kid: 'k', alg: 'ES256', key: privateKey }, issuer, {});
    const trusting = createOidcVerifier({ issuer, audiences: ['chandlery'], caFile });
    assert.equal((await trusting.verify(token)).username, `${issuer}#jane`);
    const wary = createOidcVerifier({ issuer, audiences: ['chandlery'] });
    await assert.rejects(wary.verify(token), { code: 'OidcUnavailable', message: /certificate/ });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const unusable: readonly { why: string; options: OidcOptions }[] = [
  { why: 'plain http to another machine', options: { issuer: 'http://idp.example.org', audiences: ['a'] } },
  { why: 'no address', options: { issuer: 'idp', audiences: ['a'] } },
  { why: 'no audience', options: { issuer: 'https://idp.example.org', audiences: [] } },
  {
    why: 'a CA file that is not there',
    options: { issuer: 'https://idp.example.org', audiences: ['a'], caFile: '/nowhere/ca.crt' },
  },
];
for (const { why, options } of unusable) {
  test(`a provider with ${why} is rejected`, () => {
    assert.throws(() => createOidcVerifier(options), { code: 'OidcConfigInvalid' });
  });
}
