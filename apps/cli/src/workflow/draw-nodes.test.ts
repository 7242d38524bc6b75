import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeStatus } from '@chandlery/workflow';
import { podNameOf } from '@chandlery/workflow';
import { drawNodes } from './draw-nodes.ts';

const now = new Date('2026-01-01T00:10:00Z');
const second = (at: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();

/** A node that took 5 s. */
const node = (id: string, fields: Partial<NodeStatus> = {}): NodeStatus => ({
  id,
  name: `wf.${id}`,
  displayName: id,
  type: 'Pod',
  phase: 'Succeeded',
  templateName: 't',
  startedAt: second(0),
  finishedAt: second(5),
  ...fields,
});
const root = (type: NodeStatus['type'], fields: Partial<NodeStatus> = {}): NodeStatus =>
  node('wf', { name: 'wf', type, templateName: 'main', ...fields });
const inside = (id: string, at: number, fields: Partial<NodeStatus> = {}): NodeStatus =>
  node(id, { boundaryID: 'wf', startedAt: second(at), finishedAt: second(at + 5), ...fields });
const group = (id: string, at: number, children: string[]): NodeStatus =>
  inside(id, at, { type: 'StepGroup', displayName: `[${at}]`, children });

/** The first column alone. */
const steps = (nodes: readonly NodeStatus[]): readonly string[] =>
  drawNodes(nodes, { workflow: 'wf', now, podNameOf })
    .split('\n')
    .slice(1, -1)
    .map(line => /^ .*?[✔✖⚠●◷○ǁ] \S+/.exec(line)?.[0] ?? line);

const cases: readonly {
  readonly why: string;
  readonly nodes: readonly NodeStatus[];
  readonly drawn: readonly string[];
}[] = [
  { why: 'nothing has started', nodes: [], drawn: [] },
  { why: 'one pod', nodes: [root('Pod')], drawn: [' ✔ wf'] },
  {
    why: 'steps: one alone, then two at once',
    nodes: [
      root('Steps'),
      group('g0', 0, ['a']),
      group('g1', 6, ['c', 'b']),
      inside('a', 0, { children: ['g1'] }),
      inside('c', 7, { phase: 'Running' }),
      inside('b', 6, { phase: 'Failed' }),
    ],
    drawn: [' ✔ wf', ' ├───✔ a', ' └─┬─✖ b', '   └─● c'],
  },
  {
    why: 'a group of three before another group',
    nodes: [
      root('Steps'),
      group('g0', 0, ['a', 'b', 'c']),
      group('g1', 9, ['d']),
      ...['a', 'b', 'c'].map((id, at) => inside(id, at)),
      inside('d', 9, { phase: 'Pending' }),
    ],
    drawn: [' ✔ wf', ' ├─┬─✔ a', ' │ ├─✔ b', ' │ └─✔ c', ' └───◷ d'],
  },
  {
    why: 'a dag in a step has its own branches',
    nodes: [
      root('Steps'),
      group('g0', 0, ['dag', 'z']),
      inside('dag', 0, { type: 'DAG' }),
      node('x', { boundaryID: 'dag', startedAt: second(1) }),
      node('y', { boundaryID: 'dag', startedAt: second(2) }),
      inside('z', 3),
    ],
    drawn: [' ✔ wf', ' └─┬─✔ dag', '   │ ├─✔ x', '   │ └─✔ y', '   └─✔ z'],
  },
  {
    why: 'tasks of a dag; omitted ones and task groups are left out',
    nodes: [
      root('DAG'),
      inside('a', 0),
      inside('loop', 1, { type: 'TaskGroup', children: ['loop(0:x)', 'loop(1:y)'] }),
      inside('loop(10:y)', 1),
      inside('loop(2:x)', 1, { phase: 'Skipped', type: 'Skipped' }),
      inside('never', 9, { phase: 'Omitted', type: 'Skipped' }),
    ],
    drawn: [' ✔ wf', ' ├─✔ a', ' ├─○ loop(2:x)', ' └─✔ loop(10:y)'],
  },
  {
    why: 'a retry shows its attempts, once there are two',
    nodes: [
      root('DAG'),
      inside('once', 0, { type: 'Retry', children: ['once(0)'] }),
      inside('once(0)', 0),
      inside('twice', 1, { type: 'Retry', children: ['twice(0)', 'twice(1)'] }),
      inside('twice(0)', 1, { phase: 'Error' }),
      inside('twice(1)', 2),
    ],
    drawn: [' ✔ wf', ' ├─✔ once(0)', ' └─✔ twice', '   ├─⚠ twice(0)', '   └─✔ twice(1)'],
  },
  {
    why: 'a suspended node waits; one that was resumed has succeeded',
    nodes: [
      root('DAG', { phase: 'Running' }),
      inside('gate', 0, { type: 'Suspend' }),
      inside('wait', 1, { type: 'Suspend', phase: 'Running' }),
    ],
    drawn: [' ● wf', ' ├─✔ gate', ' └─ǁ wait'],
  },
  {
    why: 'the exit handler is a tree of its own',
    nodes: [root('Pod'), node('exit', { name: 'wf.onExit', displayName: 'wf.onExit', startedAt: second(6) })],
    drawn: [' ✔ wf', '', ' ✔ wf.onExit'],
  },
  {
    why: 'containers of a set are below their pod',
    nodes: [
      root('Pod', { children: ['c1', 'c2'] }),
      inside('c2', 1, { type: 'Container' }),
      inside('c1', 0, { type: 'Container' }),
    ],
    drawn: [' ✔ wf', ' ├─✔ c1', ' └─✔ c2'],
  },
];

describe('The tree of nodes', () => {
  for (const { why, nodes, drawn } of cases) test(why, () => assert.deepEqual(steps(nodes), drawn));

  test('does not depend on the order in which nodes are stored', () => {
    for (const { nodes, drawn, why } of cases) assert.deepEqual(steps(nodes.toReversed()), drawn, why);
  });

  test('has columns for template, pod, duration and message', () => {
    const { finishedAt: _, ...running } = inside('b', 595, {
      phase: 'Running',
      templateRef: { name: 'lib', template: 't' },
    });
    const nodes = [
      root('DAG', { finishedAt: second(70) }),
      inside('a', 0, { phase: 'Failed', message: 'Error (exit code 1):\n no luck' }),
      running,
    ];
    assert.deepEqual(drawNodes(nodes, { workflow: 'wf', now, podNameOf }).split('\n'), [
      'STEP     TEMPLATE   PODNAME           DURATION   MESSAGE',
      ' ✔ wf    main                         70s',
      ' ├─✖ a   t          wf-t-2962115457   5s         Error (exit code 1):; no luck',
      ' └─● b   lib/t      wf-t-2911782600   5s',
      '',
    ]);
  });
});
