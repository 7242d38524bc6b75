import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { openTestStore, startKernelOn, type TestKernel } from '../test-kernel.ts';
import { withMissingRules } from './policy-upgrade.ts';

const roles = 'rbac.authorization.k8s.io/v1/clusterroles';
const search = {
  verbs: ['create'],
  apiGroups: ['search.chandlery.io'],
  resources: ['objectsearches', 'objectlookups'],
};
const stateKey = { cluster: 'platform', resource: 'internal/policy', namespace: '', name: 'roles' };

const rulesOf = async (world: TestKernel, name: string): Promise<unknown[]> =>
  (await world.get(roles, name))['rules'] as unknown[];

/** As an earlier version has left it. */
async function age(world: TestKernel, name: string, annotations: Record<string, string> = {}): Promise<void> {
  await world.change(roles, name, role => ({
    ...role,
    metadata: { ...role.metadata, annotations },
    rules: (role['rules'] as { apiGroups?: string[] }[]).filter(
      ({ apiGroups }) => apiGroups?.[0] !== 'search.chandlery.io',
    ),
  }));
}

test('roles of clusters that an earlier version made get the rules of this one, once', async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const upgraded = () => eventually(async () => (await store.get(stateKey)) !== undefined);
  {
    await using world = await startKernelOn(store);
    await upgraded();
    await age(world, 'system:basic-user');
    assert.equal((await rulesOf(world, 'system:basic-user')).length, 2);
    const value = { bytes: Buffer.from('an earlier version'), splice: 0 };
    await store.commit({ writes: [{ type: 'put', key: stateKey, expect: { type: 'any' }, value, terms: [] }] });
  }
  {
    await using world = await startKernelOn(store);
    await eventually(async () => (await rulesOf(world, 'system:basic-user')).length === 3);
    assert.deepEqual((await rulesOf(world, 'system:basic-user')).at(-1), search);
    await eventually(async () => (await store.get(stateKey))?.value.bytes.length === 64);
    await age(world, 'system:basic-user');
  }
  await using world = await startKernelOn(store);
  await world.settled();
  assert.equal((await rulesOf(world, 'system:basic-user')).length, 2, 'what was changed since is not changed back');
});

for (const { why, metadata, rules, expected } of [
  { why: 'a rule is missing', metadata: {}, rules: [], expected: [search] },
  {
    why: 'a wider rule covers it',
    metadata: {},
    rules: [{ ...search, verbs: ['*'] }],
    expected: [{ ...search, verbs: ['*'] }],
  },
  {
    why: 'it is not to be updated',
    metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    rules: [],
    expected: [],
  },
  { why: 'it is not a built-in one', metadata: { labels: {} }, rules: [], expected: [] },
] as const)
  test(`the rules of a role when ${why}`, () => {
    const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
    const role = {
      apiVersion: 'v1',
      kind: 'ClusterRole',
      metadata: { labels, ...metadata },
      rules,
    } as unknown as KubeObject;
    assert.deepEqual(withMissingRules(role, [search])['rules'], expected);
  });
