import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { CredentialManager } from '../worker/credential-manager.ts';
import { ProxyState } from './proxy-state.ts';

const serviceManager = { putCredentials: async () => 'credentials-1', activateCredentials: async () => undefined };

function keeperOf(state: ProxyState, clock: ManualClock, rotateAfterMs = 0) {
  return new CredentialManager({ serviceManager, state, clock, common: undefined, rotateAfterMs });
}

test('what was handled and made is known after a restart, of the same service manager only', async () => {
  await using folder = await tempFolder();
  const path = folder.join('state.json');
  const state = new ProxyState('https://sm', path);
  state.setHandledRevision(12);
  await keeperOf(state, new ManualClock()).make('b1');
  const again = new ProxyState('https://sm', path);
  assert.equal(again.handledRevision, 12);
  assert.equal(again.credentialsOf('b1')?.isPending, true);
  assert.equal(new ProxyState('https://other', path).handledRevision, undefined);
});

test('credentials that the platform may have taken are sent again, until it has taken them for certain', async () => {
  const keeper = keeperOf(new ProxyState('https://sm'), new ManualClock());
  const { username, password } = await keeper.make('b1');
  assert.equal(keeper.isDue('b1'), true);
  const again = await keeper.make('b1');
  assert.deepEqual([again.username, again.password], [username, password]);
  await again.taken();
  assert.equal(keeper.isDue('b1'), false);
  assert.notEqual((await keeper.make('b1')).username, username);
});

test('credentials are due on demand, and when they are too old', async () => {
  const clock = new ManualClock();
  const keeper = keeperOf(new ProxyState('https://sm'), clock, 1000);
  await (await keeper.make('b1')).taken();
  clock.advance(500);
  assert.equal(keeper.isDue('b1'), false);
  keeper.rotateAll();
  assert.equal(keeper.isDue('b1'), true);
  await (await keeper.make('b1')).taken();
  clock.advance(1000);
  assert.equal(keeper.isDue('b1'), true);
});
