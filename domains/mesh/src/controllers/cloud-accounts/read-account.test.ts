import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { AccountReader, Cloud } from '../../ports/clouds.ts';
import { TestTime } from '../../xds/test-time.ts';
import { AccountStates } from './account-states.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';
import { readAccount } from './read-account.ts';

const account: CloudAccount = {
  apiVersion: 'mesh.chandlery.io/v1alpha1',
  kind: 'CloudAccount',
  metadata: { name: 'prod', namespace: 'shop', uid: 'u' },
  spec: { pollSeconds: 30 },
};
const never: AccountReader<unknown> = {
  read: async (_, signal) => {
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    throw new Error('it was aborted');
  },
};

test('an account that takes too long to read cannot be read, instead of being forgotten', async () => {
  const time = new TestTime();
  const states = new AccountStates();
  const cloud = { name: 'google', accountId: () => 'shop-prod', connect: async () => never } as unknown as Cloud;
  const deps = {
    ...{ states, clock: time.clock, timers: time, readTimeoutMs: 300_000, random: () => 0, onRead: () => {} },
    ...{ cloudOf: () => cloud, resourcesOf: () => [], followers: { changedAtMs: () => undefined } },
    found: { access: { secret: { entries: {}, version: '1' }, key: 'k' } },
  } as unknown as CloudAccountDeps;
  const { signal } = new AbortController();
  const context = { now: time.clock.now(), key: 'shop/prod', failures: 0, isRequested: false, signal };
  const read = readAccount(account, deps, { ...context, logger: silentLogger });
  time.advance(300_000);
  assert.equal(await read, 'continue');
  const { failure } = states.get('u', 'google:shop-prod') ?? {};
  assert.deepEqual(
    [failure?.code, failure?.message],
    ['CloudUnreachable', 'it takes more than 5 minutes to read the account'],
  );
});
