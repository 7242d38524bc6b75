import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { FleetTokens } from './fleet-tokens.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const signingKey = newKey();
const tokens = new FleetTokens({ signingKey });
const now = new Date('2026-01-01T00:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

test('a token has the claims of its request and is of type Bearer', () => {
  const { token } = tokens.issue({ username: 'ann', organisation: 'acme', roles: ['r'], clusterId: 'c1', now });
  const claims = tokens.verify(token, now);
  assert.equal(claims.typ, 'Bearer');
  assert.deepEqual([claims.username, claims.org_id], ['ann', 'acme']);
  assert.deepEqual(claims.realm_access, { roles: ['r'] });
  assert.equal(claims['fleetshard-operator-cluster-id'], 'c1');
  assert.equal(claims.iat, now.getTime() / 1000);
});

test('a token ends at its end', () => {
  const { token, expirationTimestamp } = tokens.issue({ username: 'ann', expirationSeconds: 60, now });
  assert.equal(expirationTimestamp, '2026-01-01T00:01:00Z');
  tokens.verify(token, later(59));
  assert.throws(
    () => tokens.verify(token, later(60)),
    error => isError(error, 'TokenExpired'),
  );
});

test("a service account's token is none of the fleet's, nor is one of another landscape", () => {
  const accounts = new ServiceAccountTokens({ signingKey });
  const { token } = accounts.issue({ cluster: 'c', namespace: 'n', name: 'a', uid: 'u', now });
  assert.throws(
    () => tokens.verify(token, now),
    error => isError(error, 'TokenWrongIssuer'),
  );
  const foreign = new FleetTokens({ signingKey: newKey() }).issue({ username: 'ann', now });
  assert.throws(
    () => tokens.verify(foreign.token, now),
    error => isError(error, 'TokenUnknownKey'),
  );
});
