import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import type { StepContext } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { Cloud } from '../../ports/clouds.ts';
import { AccountStates } from './account-states.ts';
import type { AccountAccess, CloudAccountDeps } from './cloud-account-deps.ts';
import { demandOf } from './read-account.ts';
import { reportAccount } from './report-account.ts';

const now = new Date('2030-01-01T00:00:10Z');
const pollMs = 3_600_000;
const access: AccountAccess = { secret: undefined, key: 'k' };

const account = (): CloudAccount => ({
  apiVersion: 'mesh.chandlery.io/v1alpha1',
  kind: 'CloudAccount',
  metadata: { name: 'prod', namespace: 'shop', uid: 'u', generation: 1 },
  spec: { pollSeconds: pollMs / 1000 },
});

/** An account that was read half a second ago, when it had other resources. */
function depsWith(resources: readonly string[], found: CloudAccountDeps['found']): CloudAccountDeps {
  const deps = {
    cloudOf: () =>
      ({
        name: 'google',
        accountId: () => 'shop-prod',
        demandOf: (spec: object) => spec,
        countMachines: () => 0,
      }) as unknown as Cloud,
    resourcesOf: () => resources.map(tag => ({ spec: { tag } }) as unknown as CloudResource),
    states: new AccountStates(),
    followers: { changedAtMs: () => undefined, has: () => false, outcomeOf: () => undefined },
    found,
  } as unknown as CloudAccountDeps;
  const atMs = now.getTime() - 500;
  const demand = demandOf(account(), { ...deps, resourcesOf: () => [], found: { access } });
  deps.states.set('u', {
    account: 'google:shop-prod',
    last: { demand, atMs, nextMs: atMs + pollMs, notBeforeMs: atMs, failures: 0 },
    readerKey: 'k',
  });
  return deps;
}

const context: StepContext = {
  now,
  key: 'shop/prod',
  failures: 0,
  isRequested: false,
  signal: new AbortController().signal,
  logger: silentLogger,
};

for (const { why, resources, found, retryAfterMs } of [
  {
    why: 'an account with the resources of its last read waits for the next poll',
    resources: [],
    found: { access },
    retryAfterMs: pollMs - 500,
  },
  {
    why: 'an account with a resource that came after its last read does not',
    resources: ['web'],
    found: { access },
    retryAfterMs: 1500,
  },
  {
    why: 'an account without credentials is not reconciled again at once',
    resources: ['web'],
    found: {},
    retryAfterMs: pollMs - 500,
  },
])
  test(why, async () => {
    assert.deepEqual(await reportAccount(account(), depsWith(resources, found), context), { retryAfterMs });
  });

test('an account of which a part cannot be read has as many machines as before', async () => {
  const deps = depsWith([], { access });
  const state = deps.states.get('u', 'google:shop-prod');
  assert.ok(state);
  const failure = new ChandleryError('CloudUnreachable', 'a zone does not respond');
  const partial = { reading: { inventory: {}, unread: { places: ['eu-a'], error: failure } }, failure };
  deps.states.set('u', { ...state, ...partial });
  const known = { ...account(), status: { machines: 3 } };
  await reportAccount(known, deps, context);
  assert.equal(known.status.machines, 3);
  const first = account();
  await reportAccount(first, deps, context);
  assert.equal(first.status?.machines, 0);
});
