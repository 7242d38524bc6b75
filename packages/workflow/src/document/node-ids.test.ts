import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayNameOf, fnv64a, nodeIdOf, podNameOf } from './node-ids.ts';

const ids: readonly { node: string; hash: number }[] = [
  { node: 'dag-diamond-x.A', hash: 3239806894 },
  { node: 'steps-x[0]', hash: 4100973229 },
  { node: 'steps-x[0].hello1', hash: 2543571026 },
  { node: 'wf.onExit', hash: 403321795 },
  { node: 'custom-job-thbh7[0]', hash: 1277661780 },
  { node: 'custom-job-thbh7[0].custom-job[0].custom-job-main', hash: 1277661780 },
];

for (const { node, hash } of ids) {
  test(`the id of ${node} is Argo's`, () => {
    assert.equal(nodeIdOf('wf', node), `wf-${hash}`);
  });
}

test('the root has the id and the pod name of the workflow', () => {
  assert.equal(nodeIdOf('wf', 'wf'), 'wf');
  assert.equal(podNameOf('wf', 'wf', 'main'), 'wf');
});

test('names that collide in 32 bits differ in 64', () => {
  assert.notEqual(fnv64a('custom-job-thbh7[0]'), fnv64a('custom-job-thbh7[0].custom-job[0].custom-job-main'));
});

test('a display name lacks the boundary and its separator', () => {
  const shown = ['wf[0]', 'wf[0].a(0:x)', 'wf.A', 'other'].map(name => displayNameOf(name, 'wf'));
  assert.deepEqual(shown, ['[0]', 'a(0:x)', 'A', 'other']);
});

test('a pod is named after workflow, template and node', () => {
  assert.equal(podNameOf('steps-x', 'steps-x[0].hello1', 'say'), 'steps-x-say-2543571026');
});
