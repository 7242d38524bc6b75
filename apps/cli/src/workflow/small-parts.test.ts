import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@chandlery/workflow';
import { podNameOf } from '@chandlery/workflow';
import { linesOf } from '../output/lines.ts';
import { nodeChanges } from './node-changes.ts';
import { resumed } from './resume-workflow.ts';
import { containersOf } from './workflow-containers.ts';
import type { WorkflowObject } from './workflow-objects.ts';

const now = new Date('2026-01-01T00:00:10Z');

const node = (id: string, fields: Partial<NodeStatus> = {}): NodeStatus => ({
  id,
  name: id,
  displayName: id,
  type: 'Pod',
  phase: 'Running',
  startedAt: '2026-01-01T00:00:00Z',
  ...fields,
});
const workflowOf = (nodes: readonly NodeStatus[], spec: WorkflowObject['spec'] = {}): WorkflowObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'wf', namespace: 'default' },
  spec,
  status: { nodes: Object.fromEntries(nodes.map(one => [one.id, one])) },
});

test('changes of nodes are told once each', () => {
  const first = workflowOf([node('a'), node('g', { type: 'StepGroup' })]);
  const ended = node('a', { phase: 'Failed', finishedAt: '2026-01-01T00:00:03Z', message: 'exit\ncode 1' });
  const second = workflowOf([ended, node('b', { phase: 'Pending', startedAt: '2026-01-01T00:00:04Z' })]);
  assert.deepEqual(nodeChanges(undefined, first, now), ['● a: Running']);
  assert.deepEqual(nodeChanges(first, second, now), ['✖ a: Failed (3s): exit; code 1', '◷ b: Pending']);
  assert.deepEqual(nodeChanges(second, second, now), []);
});

test('lines are told apart wherever the pieces of a stream end', async () => {
  const bytes = Buffer.from('grüße\nzwei\n\nende');
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = (async function* () {
      yield bytes.subarray(0, at);
      yield bytes.subarray(at);
    })();
    assert.deepEqual(await Array.fromAsync(linesOf(pieces)), ['grüße', 'zwei', '', 'ende'], `cut at ${at}`);
  }
});

test('resuming ends the suspended nodes that are meant', () => {
  const gate = node('gate', { type: 'Suspend' });
  const other = node('other', { type: 'Suspend' });
  const phases = ({ status }: WorkflowObject) => Object.values(status?.nodes ?? {}).map(({ phase }) => phase);
  const workflow = workflowOf([gate, other, node('pod')], { suspend: true });
  const all = resumed(workflow, undefined, now);
  assert.deepEqual([phases(all), all.spec.suspend], [['Succeeded', 'Succeeded', 'Running'], undefined]);
  const one = resumed(workflow, 'displayName=other', now);
  assert.deepEqual([phases(one), one.spec.suspend], [['Running', 'Succeeded', 'Running'], true]);
  assert.throws(() => resumed(workflowOf([node('pod')]), undefined, now), { code: 'NotSuspended' });
  assert.throws(() => resumed(workflow, 'displayName=pod', now), { code: 'NotSuspended' });
});

test('containers of a set are those below the pod', () => {
  const set = node('set', { children: ['c1', 'next'], startedAt: '2026-01-01T00:00:05Z', templateName: 't' });
  const nodes = [set, node('c1', { type: 'Container' }), node('next'), node('skipped', { phase: 'Skipped' })];
  const named = (wanted?: string) =>
    containersOf(workflowOf(nodes), { podNameOf, wanted }).map(({ pod, container }) => [pod, container]);
  const pod = podNameOf('wf', 'set', 't');
  assert.deepEqual(named(), [
    [podNameOf('wf', 'next', ''), 'main'],
    [pod, 'c1'],
  ]);
  assert.deepEqual(named(pod), [[pod, 'c1']]);
});
