import assert from 'node:assert/strict';
import { it } from 'node:test';
import { conflict } from '@chandlery/api';
import { conditionsOf, findCondition, type StepContext, setCondition } from '@chandlery/runtime';
import { type ControlPlane, controlPlanes } from '../../kinds/index.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { reportReady, showing } from './report-control-plane.ts';

const now = new Date(0);
const context = { now } as StepContext;
const make = (): ControlPlane => controlPlanes.object({ name: 'a', namespace: 'n' }, {});
const deps = (reconcileMCPEveryXDays: number): ControlPlaneDeps =>
  ({ config: () => ({ mcpClusterPurpose: 'mcp', reconcileMCPEveryXDays }) }) as ControlPlaneDeps;

it('A control plane is reconciled again after the days that the configuration says', async () => {
  assert.deepEqual(await reportReady(make(), deps(2), context), { retryAfterMs: 172_800_000 });
  assert.equal(await reportReady(make(), deps(0), context), 'continue');
});

it('A control plane is ready when all that counts is', async () => {
  const controlPlane = make();
  for (const type of ['Meta', 'ClusterRequestReady', 'ClusterConditionsSynced', 'AllAccessReady']) {
    setCondition(controlPlane, { type, status: 'True', reason: 'Fine' }, now);
  }
  setCondition(controlPlane, { type: 'Cluster.Ready', status: 'False', reason: 'Sick', message: 'A cold.' }, now);
  await reportReady(controlPlane, deps(0), context);
  assert.equal(findCondition(controlPlane, 'Ready')?.message, 'A cold.');
  assert.equal(controlPlane.status?.phase, 'Progressing');
  setCondition(controlPlane, { type: 'Cluster.Ready', status: 'True', reason: 'Fine' }, now);
  await reportReady(controlPlane, deps(0), context);
  assert.equal(controlPlane.status.phase, 'Ready');
});

it('What goes wrong is shown in the condition of the step; a lost race is not', async () => {
  const failing = (error: Error) => showing('Meta', 'PlatformClusterInteractionProblem', () => Promise.reject(error));
  const controlPlane = make();
  await assert.rejects(async () => failing(new Error('no answer'))(controlPlane, deps(0), context), /no answer/);
  assert.equal(findCondition(controlPlane, 'Meta')?.reason, 'PlatformClusterInteractionProblem');
  assert.equal(findCondition(controlPlane, 'Ready')?.message, 'no answer');
  const raced = make();
  await assert.rejects(async () => failing(conflict({ group: '', resource: 'secrets' }, 'a'))(raced, deps(0), context));
  assert.deepEqual(conditionsOf(raced), []);
});
