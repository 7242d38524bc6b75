import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { ManualClock } from '../time/clock.ts';
import { FleetTokens } from './fleet-tokens.ts';
import { SessionTokens } from './session-tokens.ts';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const anne = { username: 'anne', groups: ['system:authenticated', 'crew'] };

test('a session is its user until it expires', () => {
  const clock = new ManualClock();
  const sessions = new SessionTokens({ signingKey: newKey(), clock });
  const { token } = sessions.issue(anne);
  assert.deepEqual(sessions.verify(token), anne);
  clock.advance(8 * 3600 * 1000);
  assert.throws(
    () => sessions.verify(token),
    error => isError(error, 'TokenExpired'),
  );
});

test('tokens of another key or for something else are no sessions', () => {
  const clock = new ManualClock();
  const signingKey = newKey();
  const sessions = new SessionTokens({ signingKey, clock });
  const foreign = new SessionTokens({ signingKey: newKey(), clock }).issue(anne).token;
  assert.throws(
    () => sessions.verify(foreign),
    error => isError(error, 'TokenUnknownKey'),
  );
  const fleet = new FleetTokens({ signingKey }).issue({ username: 'anne', now: clock.now() }).token;
  assert.throws(
    () => sessions.verify(fleet),
    error => isError(error, 'TokenWrongIssuer'),
  );
});
