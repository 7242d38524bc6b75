import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testInstance } from '../test-instance.ts';
import { type ObservedInstance, readyCondition } from './instance-status.ts';
import { type RolloutState, rolloutState } from './rollout-state.ts';

const v1 = { product: '1.0.0', operator: '1.0.0-1' };
const complete: RolloutState = { type: 'complete' };
const serving: RolloutState = { type: 'progressing', isServing: true, message: 'm' };
const away: RolloutState = { ...serving, isServing: false };

const conditions: readonly {
  why: string;
  instance?: Parameters<typeof testInstance>[0];
  observed: ObservedInstance;
  condition: readonly [string, string];
}[] = [
  { why: 'everything runs', observed: { workloads: [complete], versions: undefined }, condition: ['True', 'Ready'] },
  { why: 'it has no workloads', observed: { workloads: [], versions: undefined }, condition: ['True', 'Ready'] },
  { why: 'it begins', observed: { workloads: [away], versions: undefined }, condition: ['False', 'Installing'] },
  {
    why: 'one of two is not there yet',
    observed: { workloads: [complete, away], versions: v1 },
    condition: ['False', 'Installing'],
  },
  {
    why: 'the old version still serves',
    instance: { versions: { ...v1, product: '2.0.0' } },
    observed: { workloads: [serving], versions: v1 },
    condition: ['True', 'DinosaurUpdating'],
  },
  {
    why: 'nothing serves during an upgrade',
    instance: { versions: { ...v1, product: '2.0.0' } },
    observed: { workloads: [away], versions: v1 },
    condition: ['False', 'DinosaurUpdating'],
  },
  {
    why: 'the operator is upgraded',
    instance: { versions: { ...v1, operator: '2.0.0-1' } },
    observed: { workloads: [serving], versions: v1 },
    condition: ['True', 'DinosaurOperatorUpdating'],
  },
  {
    why: 'it does not come up',
    observed: { workloads: [{ type: 'failed', isServing: true, message: 'm' }], versions: v1 },
    condition: ['False', 'Error'],
  },
  {
    why: 'it stops',
    instance: { isSuspended: true },
    observed: { workloads: [away], versions: v1 },
    condition: ['False', 'Installing'],
  },
  {
    why: 'it has stopped',
    instance: { isSuspended: true },
    observed: { workloads: [{ type: 'stopped' }], versions: v1 },
    condition: ['False', 'Suspended'],
  },
];
for (const { why, instance = {}, observed, condition } of conditions)
  test(`the condition Ready of an instance: ${why}`, () => {
    const { status, reason } = readyCondition(testInstance(instance), observed, 'Dinosaur');
    assert.deepEqual([status, reason], condition);
  });

const deployment = (replicas: number, status: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'main', generation: 2 },
  spec: { replicas },
  status: { observedGeneration: 2, ...status },
});
const all = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const failed = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too slow' };
const rollouts: readonly { why: string; object: ReturnType<typeof deployment>; type: string; isServing?: boolean }[] = [
  { why: 'all is there', object: deployment(2, all), type: 'complete' },
  {
    why: 'the change was not seen yet',
    object: deployment(2, { ...all, observedGeneration: 1 }),
    type: 'progressing',
    isServing: true,
  },
  {
    why: 'an old replica is left',
    object: deployment(2, { ...all, replicas: 3 }),
    type: 'progressing',
    isServing: true,
  },
  {
    why: 'one is not available',
    object: deployment(2, { ...all, availableReplicas: 0 }),
    type: 'progressing',
    isServing: false,
  },
  {
    why: 'its deadline is over',
    object: deployment(2, { ...all, availableReplicas: 1, conditions: [failed] }),
    type: 'failed',
    isServing: true,
  },
  {
    why: 'an earlier deadline does not count',
    object: deployment(2, { ...all, conditions: [failed] }),
    type: 'complete',
  },
  { why: 'it stops', object: deployment(0, { replicas: 1 }), type: 'progressing', isServing: false },
  { why: 'it has stopped', object: deployment(0, {}), type: 'stopped' },
];
for (const { why, object, type, isServing } of rollouts)
  test(`how far a Deployment is: ${why}`, () => {
    const state = rolloutState(object);
    assert.deepEqual([state.type, 'isServing' in state ? state.isServing : undefined], [type, isServing]);
  });
