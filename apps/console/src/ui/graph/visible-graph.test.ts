import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Graph, GraphNode } from './graph.ts';
import { maxVisibleNodes, openedMembers, visibleGraph } from './visible-graph.ts';

const node = (id: string, state: GraphNode['state'] = 'ready'): GraphNode => ({ id, title: id, state });
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** A root, children below it, and one node that follows them all. */
const fan = (count: number, stateOf: (at: number) => GraphNode['state'] = () => 'ready'): Graph => ({
  nodes: [node('root'), ...numbers(count).map(at => node(`item-${at}`, stateOf(at))), node('end')],
  edges: numbers(count).flatMap(at => [
    { from: 'root', to: `item-${at}` },
    { from: `item-${at}`, to: 'end' },
  ]),
});

test('a small graph is drawn whole', () => {
  const graph = fan(50);
  assert.deepEqual(visibleGraph(graph), { ...graph, folds: [] });
});

test('an empty graph, and one node, are drawn', () => {
  assert.deepEqual(visibleGraph({ nodes: [], edges: [] }), { nodes: [], folds: [], edges: [] });
  assert.equal(visibleGraph({ nodes: [node('a')], edges: [{ from: 'a', to: 'gone' }] }).edges.length, 0);
});

test('5,000 nodes are drawn as a few with one fold that counts the rest; problems are drawn', () => {
  const { nodes, folds, edges } = visibleGraph(fan(5000, at => (at % 1000 === 999 ? 'failed' : 'ready')));
  assert.ok(nodes.length + folds.length <= maxVisibleNodes);
  assert.deepEqual(
    nodes.filter(({ state }) => state === 'failed').map(({ id }) => id),
    [999, 1999, 2999, 3999, 4999].map(at => `item-${at}`),
  );
  assert.ok(
    nodes.some(({ id }) => id === 'root'),
    'what leads to a problem is drawn',
  );
  const [fold] = folds;
  assert.equal(folds.length, 1);
  assert.equal((fold?.members.length ?? 0) + nodes.length, 5002);
  assert.deepEqual(fold?.counts, { ready: fold?.members.length });
  assert.ok(edges.some(({ from, to }) => from === 'root' && to === fold?.id));
  assert.equal(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size, edges.length, 'each edge once');
});

test('a fold of more problems than are drawn counts them, and is as bad as they are', () => {
  const { folds } = visibleGraph(fan(5000, at => (at < 4000 ? 'failed' : 'ready')));
  assert.equal(folds[0]?.state, 'failed');
  assert.equal(folds[0]?.counts.ready, 1002);
  assert.equal((folds[0]?.counts.failed ?? 0) + 150, 4000);
});

test('many separate groups never become more than can be drawn', () => {
  const parents = numbers(150).map(at => node(`p${at}`, 'failed'));
  const children = numbers(600).map(at => node(`c${at}`));
  const edges = children.map(({ id }, at) => ({ from: `p${at % 150}`, to: id }));
  const { nodes, folds } = visibleGraph({ nodes: [...parents, ...children], edges });
  assert.ok(nodes.length + folds.length <= maxVisibleNodes);
  assert.equal(nodes.length + folds.reduce((sum, { members }) => sum + members.length, 0), 750);
});

test('an opened fold shows its members instead, the selected node always', () => {
  const graph = fan(5000, at => (at === 4000 ? 'waiting' : 'ready'));
  const [fold] = visibleGraph(graph).folds;
  assert.ok(fold !== undefined);
  const opened = openedMembers(graph, fold);
  assert.equal(opened.length, 100);
  const { nodes } = visibleGraph(graph, { wanted: ['item-4321', ...opened] });
  const ids = nodes.map(({ id }) => id);
  for (const id of ['item-4321', ...opened]) assert.ok(ids.includes(id), id);
});

test('only problems: what has failed, and what leads there', () => {
  const graph: Graph = {
    nodes: [node('root'), node('a'), node('b', 'failed'), node('c'), node('d')],
    edges: [
      { from: 'root', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'd', to: 'c' },
    ],
  };
  const { nodes, edges } = visibleGraph(graph, { hasOnlyProblems: true });
  assert.deepEqual(
    nodes.map(({ id }) => id),
    ['root', 'a', 'b'],
  );
  assert.equal(edges.length, 2);
});

test('only problems: a denied edge shows both of its ends', () => {
  const graph: Graph = {
    nodes: [node('a'), node('b'), node('c')],
    edges: [
      { from: 'a', to: 'b', state: 'failed' },
      { from: 'a', to: 'c', state: 'ready' },
    ],
  };
  assert.deepEqual(
    visibleGraph(graph, { hasOnlyProblems: true }).nodes.map(({ id }) => id),
    ['a', 'b'],
  );
});

test('cycles end', () => {
  const graph: Graph = {
    nodes: [node('a', 'failed'), node('b')],
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ],
  };
  assert.equal(visibleGraph(graph, { hasOnlyProblems: true }).nodes.length, 2);
});
