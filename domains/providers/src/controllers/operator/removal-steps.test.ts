import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { findCondition, type StepContext } from '@chandlery/runtime';
import { storedProvider } from '../../model/operator/test-provider.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { removeApi } from './removal-steps.ts';

const context: StepContext = {
  key: 'foo',
  now: new Date('2030-01-01T00:00:00Z'),
  signal: new AbortController().signal,
  failures: 0,
  isRequested: false,
  logger: silentLogger,
};

const deps = (removal: () => Promise<readonly string[]>): OperatorDeps =>
  ({ unfollowDependants: () => undefined, removeApi: removal }) as Partial<OperatorDeps> as OperatorDeps;

it('A stage that fails says why, and is tried again', async () => {
  const provider = storedProvider();
  const rejected = new ChandleryError('Forbidden', 'the onboarding cluster refuses');
  await assert.rejects(
    removeApi(
      provider,
      deps(() => Promise.reject(rejected)),
      context,
    ),
    rejected,
  );
  const { reason, message } = findCondition(provider, 'Uninstalled') ?? {};
  assert.deepEqual(
    [reason, message],
    ['UninstallFailed', 'The API part cannot be removed: the onboarding cluster refuses'],
  );
  assert.equal(provider.status?.phase, 'Uninstalling');
});

it('A stage that lost a race says nothing', async () => {
  const provider = storedProvider();
  const lost = new ChandleryError('Conflict', 'the object has been modified');
  const removal = removeApi(
    provider,
    deps(() => Promise.reject(lost)),
    context,
  );
  await assert.rejects(removal, lost);
  assert.equal(provider.status, undefined);
});

it('A stage that waits names a few of those it waits for', async () => {
  const provider = storedProvider();
  const left = ['f', 'e', 'd', 'c', 'b', 'a'].map(name => `pods/${name}`);
  const result = await removeApi(
    provider,
    deps(async () => left),
    context,
  );
  assert.equal(result, 'stop');
  assert.match(findCondition(provider, 'Uninstalled')?.message ?? '', /until pods\/a, .*pods\/e, … are deleted/);
});
