import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError, isError } from '@chandlery/api';
import {
  type Authenticator,
  type AuthenticatorOptions,
  type Credentials,
  createAuthenticator,
} from './authenticate.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object) => `${encode({ alg: 'ES256' })}.${encode(claims)}.c2ln`;
interface TestClaims {
  cluster?: string;
  sub: string;
  groups?: string[];
  bad?: boolean;
}

const claimsOf = (token: string): TestClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as TestClaims;

const ours = 'https://chandlery.test';
const theirs = 'https://login.test';
const robotToken = jwt({ iss: ours, cluster: 'a' });
const adminToken = 'correct-horse';

/** Verifiers that believe the claims, and the tokens each was asked about. */
function setUp(extra: Partial<AuthenticatorOptions> = {}) {
  const asked: string[] = [];
  const options: AuthenticatorOptions = {
    adminToken: { matches: candidate => candidate === adminToken },
    serviceAccounts: {
      isFromHere: issuer => issuer === ours,
      issuerOf: () => ours,
      verify: (token, { cluster }) => {
        asked.push('accounts');
        if (claimsOf(token).cluster !== cluster) throw new Error('issued for another logical cluster');
        return { namespace: 'ci', name: 'robot', uid: 'u1' };
      },
    },
    serviceAccountExists: async (_cluster, { uid }) => uid === 'u1',
    oidc: [
      {
        issuer: theirs,
        verify: async token => {
          asked.push('oidc');
          const { sub, groups = [], bad } = claimsOf(token);
          if (bad) throw new ChandleryError('Unauthorized', 'Unauthorized');
          return { username: sub, groups };
        },
      },
    ],
    ...extra,
  };
  return { authenticator: createAuthenticator(options), asked };
}

const codeOf = async (authenticator: Authenticator, credentials: Credentials, cluster = 'a') => {
  try {
    return (await authenticator.authenticate(credentials, cluster)).username;
  } catch (thrown) {
    assert.ok(isError(thrown));
    return thrown.code;
  }
};

describe('credentials', () => {
  const certificate = { commonName: 'ann', organizations: ['devs'] };
  const table: readonly (readonly [why: string, Credentials, outcome: string])[] = [
    ['none', {}, 'system:anonymous'],
    ['the admin token', { bearerToken: adminToken }, 'admin'],
    ['the admin token as password', { password: adminToken }, 'admin'],
    ['a wrong token', { bearerToken: 'wrong' }, 'Unauthorized'],
    ['a wrong password', { password: 'wrong' }, 'Unauthorized'],
    ['an empty token', { bearerToken: '' }, 'Unauthorized'],
    ['a token that begins like the right one', { bearerToken: `${adminToken}x` }, 'Unauthorized'],
    ['a service account token', { bearerToken: robotToken }, 'system:serviceaccount:ci:robot'],
    ['an OIDC token', { bearerToken: jwt({ iss: theirs, sub: 'eve@login.test' }) }, 'eve@login.test'],
    ['a rejected OIDC token', { bearerToken: jwt({ iss: theirs, sub: 'eve', bad: true }) }, 'Unauthorized'],
    ['an OIDC user with a name of ours', { bearerToken: jwt({ iss: theirs, sub: 'system:admin' }) }, 'Unauthorized'],
    ['a token of an unknown issuer', { bearerToken: jwt({ iss: 'https://evil.test', sub: 'admin' }) }, 'Unauthorized'],
    ['a token without an issuer', { bearerToken: jwt({ sub: 'admin' }) }, 'Unauthorized'],
    ['a token that is not JSON', { bearerToken: 'a.b.c' }, 'Unauthorized'],
    ['a token without a signature', { bearerToken: `${robotToken.split('.').slice(0, 2).join('.')}.` }, 'Unauthorized'],
    ['an endless token', { bearerToken: jwt({ iss: ours, cluster: 'a', x: 'x'.repeat(100_000) }) }, 'Unauthorized'],
    ['a certificate', { certificate }, 'ann'],
    [
      'a certificate without a common name',
      { certificate: { commonName: '', organizations: ['system:masters'] } },
      'system:anonymous',
    ],
    ['a certificate and a good token', { certificate, bearerToken: adminToken }, 'admin'],
    ['a certificate and a bad token', { certificate, bearerToken: 'wrong' }, 'Unauthorized'],
  ];
  for (const [why, credentials, outcome] of table) {
    test(`${why}: ${outcome}`, async () => {
      assert.equal(await codeOf(setUp().authenticator, credentials), outcome);
    });
  }

  test('a service account token of one logical cluster is rejected by another, also after it was seen', async () => {
    const { authenticator } = setUp();
    assert.equal(await codeOf(authenticator, { bearerToken: robotToken }, 'a'), 'system:serviceaccount:ci:robot');
    assert.equal(await codeOf(authenticator, { bearerToken: robotToken }, 'b'), 'Unauthorized');
  });

  test('no admin token configured means that none is accepted', async () => {
    const authenticator = createAuthenticator({});
    assert.equal(await codeOf(authenticator, { bearerToken: '' }), 'Unauthorized');
    assert.equal(await codeOf(authenticator, { bearerToken: robotToken }), 'Unauthorized');
  });

  test('each token is tried by one verifier only', async () => {
    const { authenticator, asked } = setUp();
    await codeOf(authenticator, { bearerToken: jwt({ iss: theirs, sub: 'eve', bad: true }) });
    await codeOf(authenticator, { bearerToken: 'opaque' });
    assert.deepEqual(asked, ['oidc']);
  });

  test('a session is the user that it was issued to, with all groups, and only through its own verifier', async () => {
    const issuer = 'https://chandlery.test/session';
    const operator = { username: 'admin', groups: ['system:masters'] };
    const verify = (token: string) => {
      if (claimsOf(token).bad) throw new ChandleryError('TokenExpired', 'the session has expired');
      return operator;
    };
    const { authenticator, asked } = setUp({ sessions: { issuer, verify } });
    const user = await authenticator.authenticate({ bearerToken: jwt({ iss: issuer, sub: 'admin' }) }, 'a');
    assert.deepEqual(user, operator);
    assert.equal(await codeOf(authenticator, { bearerToken: jwt({ iss: issuer, bad: true }) }), 'Unauthorized');
    assert.equal(await codeOf(setUp().authenticator, { bearerToken: jwt({ iss: issuer }) }), 'Unauthorized');
    assert.deepEqual(asked, []);
  });

  test('a verifier that is unavailable is reported as such', async () => {
    const verify = async () => {
      throw new ChandleryError('OidcUnavailable', 'the issuer does not answer');
    };
    const { authenticator } = setUp({ oidc: [{ issuer: theirs, verify }] });
    assert.equal(await codeOf(authenticator, { bearerToken: jwt({ iss: theirs, sub: 'eve' }) }), 'ServiceUnavailable');
  });
});

describe('users', () => {
  test('the administrator is a master', async () => {
    const { groups } = await setUp().authenticator.authenticate({ bearerToken: adminToken }, 'a');
    assert.deepEqual(groups, ['system:masters', 'system:authenticated']);
  });

  test('a service account is in its groups', async () => {
    const user = await setUp().authenticator.authenticate({ bearerToken: robotToken }, 'a');
    assert.deepEqual(user, {
      username: 'system:serviceaccount:ci:robot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
    });
  });

  test('a foreign issuer cannot put users into groups of ours', async () => {
    const token = jwt({ iss: theirs, sub: 'eve', groups: ['devs', 'system:masters'] });
    const { groups } = await setUp().authenticator.authenticate({ bearerToken: token }, 'a');
    assert.deepEqual(groups, ['devs', 'system:authenticated']);
  });

  test('a certificate names its groups', async () => {
    const certificate = { commonName: 'ops', organizations: ['system:masters', 'devs'] };
    const { groups } = await setUp().authenticator.authenticate({ certificate }, 'a');
    assert.deepEqual(groups, ['system:masters', 'devs', 'system:authenticated']);
  });
});

describe('remembering', () => {
  const eve = jwt({ iss: theirs, sub: 'eve' });

  test('an OIDC token is verified once in a while', async () => {
    let nowMs = 0;
    const { authenticator, asked } = setUp({ cache: { now: () => nowMs } });
    for (nowMs of [0, 9_999, 10_000]) await codeOf(authenticator, { bearerToken: eve });
    assert.equal(asked.length, 2);
  });

  test('a token is never remembered beyond its own end', async () => {
    let nowMs = 0;
    const { authenticator, asked } = setUp({ cache: { now: () => nowMs } });
    const bearerToken = jwt({ iss: theirs, sub: 'eve', exp: 3 });
    for (nowMs of [0, 3000]) await codeOf(authenticator, { bearerToken });
    assert.equal(asked.length, 2);
  });

  test('only so many tokens are remembered, the oldest go first', async () => {
    const { authenticator, asked } = setUp({ cache: { limit: 1 } });
    const other = jwt({ iss: theirs, sub: 'ann' });
    for (const bearerToken of [eve, other, other, eve]) await codeOf(authenticator, { bearerToken });
    assert.equal(asked.length, 3);
  });

  test('a deleted service account is rejected at once', async () => {
    let exists = true;
    const { authenticator } = setUp({ serviceAccountExists: async () => exists });
    assert.equal(await codeOf(authenticator, { bearerToken: robotToken }), 'system:serviceaccount:ci:robot');
    exists = false;
    assert.equal(await codeOf(authenticator, { bearerToken: robotToken }), 'Unauthorized');
  });
});
