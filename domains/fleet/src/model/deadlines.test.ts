import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InstanceState, instanceStates } from '../kinds/index.ts';
import { deadlineOf } from './deadlines.ts';
import type { InstanceStatus } from './instance-events.ts';

const deadlines = { accepted: 3600, noVersion: 300, preparing: 200, provisioning: 1000 };
const createdAt = '2026-01-01T00:00:00Z';
const stateSince = '2026-01-01T01:00:00Z';
const at = (seconds: number): string => new Date(Date.parse(stateSince) + seconds * 1000).toISOString();

const cases: Readonly<Record<InstanceState, { seconds?: number; effect?: string; reason?: RegExp }>> = {
  accepted: { seconds: 3600, effect: 'fail', reason: /region north cannot accept instances of type eval, size x1/ },
  preparing: { seconds: 200, effect: 'fail', reason: /not prepared/ },
  provisioning: { seconds: 1000, effect: 'fail', reason: /did not become ready/ },
  ready: {},
  failed: {},
  suspending: { seconds: 1000, effect: 'report', reason: /suspending for too long/ },
  suspended: {},
  resuming: { seconds: 1000, effect: 'fail', reason: /did not resume/ },
  deprovision: { seconds: 1000, effect: 'report', reason: /deprovision for too long/ },
  deleting: { seconds: 1000, effect: 'report', reason: /deleting for too long/ },
};

for (const state of instanceStates)
  test(`the deadline in state ${state}`, () => {
    const { seconds, effect, reason } = cases[state];
    const status: InstanceStatus = { state, stateSince, instanceType: 'eval', sizeId: 'x1' };
    const found = deadlineOf({ spec: { region: 'north' }, status, createdAt }, deadlines);
    if (seconds === undefined) return assert.equal(found, undefined);
    assert.deepEqual([found?.at.toISOString(), found?.effect], [at(seconds), effect]);
    assert.match(found?.reason ?? '', reason ?? /^$/);
  });

test('an instance on a cluster without versions fails earlier', () => {
  const status: InstanceStatus = { state: 'accepted', stateSince, clusterId: 'c1' };
  const found = deadlineOf({ spec: {}, status, createdAt }, deadlines);
  assert.deepEqual([found?.at.toISOString(), found?.reason], [at(300), 'no version is ready on cluster c1']);
});

test('time without versions counts from when the cluster was ready', () => {
  const status: InstanceStatus = { state: 'accepted', stateSince, clusterId: 'c1' };
  const found = deadlineOf({ spec: {}, status, createdAt, clusterReadySince: at(500) }, deadlines);
  assert.equal(found?.at.toISOString(), at(800));
});

test('a state without a time counts from the creation', () => {
  const found = deadlineOf({ spec: {}, status: { state: 'preparing' }, createdAt }, deadlines);
  assert.equal(found?.at.toISOString(), '2026-01-01T00:03:20.000Z');
});

test('an instance whose routes were rejected fails with the reason', () => {
  const status: InstanceStatus = { state: 'provisioning', stateSince, routesProblem: 'the router is elsewhere' };
  const found = deadlineOf({ spec: {}, status, createdAt }, deadlines);
  assert.equal(found?.reason, 'it did not become ready within 1000 seconds: the router is elsewhere');
});
