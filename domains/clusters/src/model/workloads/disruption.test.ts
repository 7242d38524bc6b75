import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countBudget, type DisruptionBudget, isBudgeted, nextRecountMs, uncountable } from './disruption.ts';
import type { PodObject } from './objects.ts';

const now = new Date('2026-01-02T03:04:05Z');

const budgetOf = (spec: DisruptionBudget['spec'] = {}, status?: DisruptionBudget['status']): DisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default', generation: 3 },
  spec,
  ...(status === undefined ? {} : { status }),
});

const podOf = (name: string, isReady = true, metadata: object = {}): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] as never },
});

const pods = (ready: number, unready = 0): PodObject[] => [
  ...Array.from({ length: ready }, (_, n) => podOf(`r${n}`)),
  ...Array.from({ length: unready }, (_, n) => podOf(`u${n}`, false)),
];

const numbers = (budget: DisruptionBudget, all: readonly PodObject[], replicas = all.length) => {
  const status = countBudget(budget, { pods: all, scaleOf: () => ({ uid: 'd', replicas }) }, now);
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status ?? {};
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
};

describe('a budget allows', () => {
  const cases: readonly [
    why: string,
    spec: object,
    ready: number,
    unready: number,
    replicas: number,
    wanted: number[],
  ][] = [
    ['what is more than must stay', { minAvailable: 2 }, 3, 0, 3, [3, 2, 3, 1]],
    ['nothing when too few are ready', { minAvailable: 2 }, 1, 2, 3, [3, 2, 1, 0]],
    ['nothing when as many are ready as must stay', { minAvailable: 3 }, 3, 0, 3, [3, 3, 3, 0]],
    ['a share, rounded up, of what is wanted', { minAvailable: '50%' }, 5, 0, 5, [5, 3, 5, 2]],
    ['a share of what is wanted, not of what is there', { minAvailable: '50%' }, 5, 0, 10, [10, 5, 5, 0]],
    ['what may be missing', { maxUnavailable: 1 }, 3, 0, 3, [3, 2, 3, 1]],
    ['less when some are missing already', { maxUnavailable: 2 }, 2, 1, 3, [3, 1, 2, 1]],
    ['a share that may be missing, rounded up', { maxUnavailable: '30%' }, 4, 0, 4, [4, 2, 4, 2]],
    ['all', { maxUnavailable: '100%' }, 2, 0, 2, [2, 0, 2, 2]],
    ['nothing without pods', { minAvailable: 0 }, 0, 0, 0, [0, 0, 0, 0]],
    ['everything that is ready when it wants nothing', {}, 2, 1, 3, [3, 0, 2, 2]],
  ];
  for (const [why, spec, ready, unready, replicas, wanted] of cases)
    test(why, () => assert.deepEqual(numbers(budgetOf(spec), pods(ready, unready), replicas), wanted));

  test('nothing for pods without a controller, for percentages', () => {
    const status = countBudget(budgetOf({ maxUnavailable: 1 }), { pods: pods(2), scaleOf: () => undefined }, now);
    assert.deepEqual([status?.expectedPods, status?.disruptionsAllowed], [0, 0]);
  });
});

test('pods that are evicted or being deleted are not healthy; evictions are forgotten when they were carried out or not', () => {
  const disruptedPods = {
    evicted: '2026-01-02T03:03:00Z',
    deleted: '2026-01-02T03:03:00Z',
    gone: '2026-01-02T03:03:00Z',
    survivor: '2026-01-02T03:02:00Z',
  };
  const all = [
    podOf('evicted'),
    podOf('deleted', true, { deletionTimestamp: '2026-01-02T03:04:00Z' }),
    podOf('survivor'),
    podOf('other'),
  ];
  const budget = budgetOf({ minAvailable: 1 }, { disruptedPods });
  const status = countBudget(budget, { pods: all, scaleOf: () => undefined }, now);
  assert.deepEqual(status?.disruptedPods, { evicted: disruptedPods.evicted });
  assert.deepEqual([status?.currentHealthy, status?.disruptionsAllowed], [2, 1]);
  assert.equal(nextRecountMs({ ...budget, status: status ?? {} }), Date.parse('2026-01-02T03:05:00Z'));
  assert.equal(nextRecountMs(budgetOf()), undefined);
});

test('the condition says whether anything may be evicted, of which generation, and since when', () => {
  const view = { pods: pods(2), scaleOf: () => undefined };
  const first = countBudget(budgetOf({ minAvailable: 1 }), view, now);
  const condition = {
    type: 'DisruptionAllowed',
    status: 'True',
    reason: 'SufficientPods',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 3,
  };
  assert.deepEqual([first?.observedGeneration, first?.conditions], [3, [condition]]);
  const later = new Date('2026-01-02T04:00:00Z');
  assert.deepEqual(countBudget(budgetOf({ minAvailable: 1 }, first), view, later), first, 'counted again: the same');
  const denied = countBudget(budgetOf({ minAvailable: 2 }, first), view, later)?.conditions?.[0];
  assert.deepEqual([denied?.status, denied?.reason], ['False', 'InsufficientPods']);
});

test('a budget that cannot be counted allows nothing and says why', () => {
  const before = { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
  const status = uncountable(budgetOf({ maxUnavailable: 1 }, before), 'why', now);
  assert.deepEqual([status?.disruptionsAllowed, status?.currentHealthy], [0, 3]);
  const [condition] = status?.conditions ?? [];
  assert.deepEqual([condition?.status, condition?.reason, condition?.message], ['False', 'SyncFailed', 'why']);
});

test('a budget without a selector is about no pod, one with an empty selector about all', () => {
  const labelled = podOf('p', true, { labels: { app: 'web' } });
  assert.equal(isBudgeted(budgetOf(), labelled), false);
  assert.equal(isBudgeted(budgetOf({ selector: {} }), labelled), true);
  assert.equal(isBudgeted(budgetOf({ selector: { matchLabels: { app: 'web' } } }), labelled), true);
  assert.equal(isBudgeted(budgetOf({ selector: { matchLabels: { app: 'db' } } }), labelled), false);
});
