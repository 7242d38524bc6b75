import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@chandlery/workflow';
import { visibleGraph } from '../../ui/graph/visible-graph.ts';
import { attemptOf, withTitle } from './workflow.ts';
import { firstNode, workflowGraph } from './workflow-graph.ts';

const now = new Date('2026-01-01T00:01:00Z');
const node = (id: string, fields: Partial<NodeStatus> = {}): NodeStatus => ({
  id,
  name: `wf.${id}`,
  displayName: id,
  type: 'Pod',
  phase: 'Succeeded',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:05Z',
  ...fields,
});

/** Edges as `from>to`. */
const edgesOf = (nodes: readonly NodeStatus[]): readonly string[] =>
  workflowGraph(nodes, now).edges.map(({ from, to }) => `${from}>${to}`);

test('groups of steps are drawn by their members', () => {
  const nodes = [
    node('wf', { type: 'Steps', children: ['g0'] }),
    node('g0', { type: 'StepGroup', children: ['a', 'b'] }),
    node('a', { children: ['g1'] }),
    node('b', { children: ['g1'] }),
    node('g1', { type: 'StepGroup', children: ['c'] }),
    node('c'),
  ];
  assert.deepEqual(edgesOf(nodes), ['wf>a', 'wf>b', 'a>c', 'b>c']);
});

test('a retry is drawn once there are two attempts', () => {
  const once = [
    node('wf', { type: 'DAG', children: ['r'] }),
    node('r', { type: 'Retry', children: ['r0'] }),
    node('r0'),
  ];
  assert.deepEqual(edgesOf(once), ['wf>r0']);
  const twice = [once[0], node('r', { type: 'Retry', children: ['r0', 'r1'] }), node('r0'), node('r1')] as const;
  assert.deepEqual(edgesOf(twice as unknown as NodeStatus[]), ['wf>r', 'r>r0', 'r>r1']);
  assert.deepEqual(attemptOf(twice as unknown as NodeStatus[], node('r1')), { number: 2, count: 2 });
  assert.equal(attemptOf(once, node('r0')), undefined);
});

test('the first node has the name of the run', () => {
  const nodes = [node('order-c5', { name: 'order-c5', type: 'DAG', children: ['a'] }), node('a')];
  const titles = workflowGraph(withTitle(nodes, 'holidays'), now).nodes.map(({ title }) => title);
  assert.deepEqual(titles, ['holidays', 'a']);
});

test('a group that contains itself ends', () => {
  assert.deepEqual(
    edgesOf([node('wf', { type: 'DAG', children: ['g'] }), node('g', { type: 'TaskGroup', children: ['g'] })]),
    [],
  );
});

test('states have the words of Argo, and symbols', () => {
  const nodes = [
    node('a', { phase: 'Error' }),
    node('b', { type: 'Suspend', phase: 'Running' }),
    node('c', { phase: 'Pending' }),
    node('d', { phase: 'New' as NodeStatus['phase'] }),
  ];
  assert.deepEqual(
    workflowGraph(nodes, now).nodes.map(({ state, word }) => [state, word]),
    [
      ['failed', 'Error'],
      ['deleting', 'Suspended'],
      ['waiting', 'Pending'],
      ['exists', 'New'],
    ],
  );
});

test('a workflow of 10,000 nodes is drawn as a few', () => {
  const items = Array.from({ length: 10_000 }, (_, at) => node(`item-${at}`, at === 7777 ? { phase: 'Failed' } : {}));
  const root = node('wf', { type: 'DAG', children: items.map(({ id }) => id) });
  const { nodes, folds } = visibleGraph(workflowGraph([root, ...items], now));
  assert.ok(nodes.length + folds.length <= 200);
  assert.ok(nodes.some(({ id }) => id === 'item-7777'));
});

test('what failed first is shown first, then what waits for people', () => {
  const failed = node('b', { phase: 'Failed', startedAt: '2026-01-01T00:00:02Z' });
  const earlier = node('a', { phase: 'Error', startedAt: '2026-01-01T00:00:01Z' });
  const whole = node('wf', { type: 'DAG', phase: 'Failed' });
  const gate = node('g', { type: 'Suspend', phase: 'Running' });
  assert.equal(firstNode([whole, gate, failed, earlier])?.id, 'a');
  assert.equal(firstNode([whole, gate])?.id, 'g');
  assert.equal(firstNode([whole, node('x'), node('r', { phase: 'Running' })])?.id, 'r');
  assert.equal(firstNode([whole, node('x')])?.id, 'x');
  assert.equal(firstNode([whole, node('x'), node('y')]), undefined);
});
