import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWorkflow } from '../document/parse-workflow.ts';
import { restoreExecution } from '../engine/execution.ts';
import { documentOf } from '../engine/test-cases.ts';
import { simulate } from '../engine/test-simulate.ts';
import { resubmitWorkflow } from './resubmit-workflow.ts';
import type { StoredWorkflow } from './retry-workflow.ts';

function runOf(spec: string): StoredWorkflow {
  const source = documentOf(spec);
  const { status, nodes } = simulate(source);
  return { document: parseWorkflow(source), status, nodes };
}

/** Executes a workflow whose containers all succeed. Returns the nodes that were started, with their input. */
function execute(stored: StoredWorkflow): { started: readonly string[]; ended: readonly string[] } {
  const execution = restoreExecution(stored);
  const started: string[] = [];
  let { actions } = execution.advance([], 1e12);
  while (actions.some(({ kind }) => kind === 'start')) {
    const names = actions.filter(action => action.kind === 'start').map(({ node }) => node);
    started.push(...names);
    const observed = names.map(node => ({ kind: 'ended' as const, node, exitCode: 0, parameters: { out: 'again' } }));
    ({ actions } = execution.advance(observed, 1e12));
  }
  const nodes = [...execution.nodes];
  const inputOf = (name: string): unknown => nodes.find(node => node.name === name)?.inputs?.parameters?.[0]?.value;
  return {
    started: started.map(name => `${name} ${String(inputOf(name))}`),
    ended: [execution.status.phase, ...nodes.map(({ name, type, phase }) => `${name} ${type} ${phase}`)],
  };
}

const flow = `arguments: {parameters: [{name: text, value: '{{REF.outputs.parameters.out}}'}]}`;
const rows: readonly { why: string; spec: string; started: readonly string[]; ended: readonly string[] }[] = [
  {
    why: 'tasks of a DAG use outputs that were taken over',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: give}
      - {name: B, depends: A, template: fail}
      - {name: C, depends: B, template: say, ${flow.replace('REF', 'tasks.A')}}
`,
    started: ['new.B undefined', 'new.C given'],
    ended: ['Succeeded', 'new.A Skipped Skipped', 'new DAG Succeeded', 'new.B Pod Succeeded', 'new.C Pod Succeeded'],
  },
  {
    why: 'steps use outputs that were taken over',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: give}], [{name: b, template: fail}], [{name: c, template: say, ${flow.replace('REF', 'steps.a')}}]]
`,
    started: ['new[1].b undefined', 'new[2].c given'],
    ended: [
      'Succeeded',
      'new[0].a Skipped Skipped',
      'new Steps Succeeded',
      'new[0] StepGroup Succeeded',
      'new[1] StepGroup Succeeded',
      'new[1].b Pod Succeeded',
      'new[2] StepGroup Succeeded',
      'new[2].c Pod Succeeded',
    ],
  },
  {
    why: 'of a loop the items that failed run again, and only those are aggregated, as Argo does',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - [{name: a, template: maybe, withItems: [x, '1'], arguments: {parameters: [{name: text, value: '{{item}}'}]}}]
    - [{name: c, template: say, ${flow.replace('REF', 'steps.a')}}]
  - name: maybe
    inputs: {parameters: [{name: text}]}
    container: {image: x, args: ["write /out {{inputs.parameters.text}}; exit {{=inputs.parameters.text == 'x' ? 0 : 1}}"]}
    outputs: {parameters: [{name: out, valueFrom: {path: /out}}]}
`,
    started: ['new[0].a(1:1) 1', 'new[1].c ["again"]'],
    ended: [
      'Succeeded',
      'new[0].a(0:x) Skipped Skipped',
      'new Steps Succeeded',
      'new[0] StepGroup Succeeded',
      'new[0].a(1:1) Pod Succeeded',
      'new[1] StepGroup Succeeded',
      'new[1].c Pod Succeeded',
    ],
  },
  {
    why: 'the exit handler runs anew',
    spec: `
  entrypoint: main
  onExit: say
  templates:
  - name: main
    steps: [[{name: a, template: say}], [{name: b, template: fail}]]
`,
    started: ['new[1].b undefined', 'new.onExit hello'],
    ended: [
      'Succeeded',
      'new[0].a Skipped Skipped',
      'new Steps Succeeded',
      'new[0] StepGroup Succeeded',
      'new[1] StepGroup Succeeded',
      'new[1].b Pod Succeeded',
      'new.onExit Pod Succeeded',
    ],
  },
];

for (const { why, spec, started, ended } of rows) {
  test(`memoized resubmit: ${why}`, () => {
    const again = resubmitWorkflow(runOf(spec), { name: 'new', isMemoized: true });
    assert.deepEqual(execute(again), { started, ended });
  });
}

test('memoized resubmit is refused for a workflow that did not fail', () => {
  const stored = runOf('\n  entrypoint: say\n  templates:\n');
  const message = /^workflow must be Failed\/Error to resubmit in memoized mode$/;
  assert.throws(() => resubmitWorkflow(stored, { name: 'new', isMemoized: true }), { message });
  assert.equal(resubmitWorkflow(stored, { name: 'new' }).nodes.length, 0);
});
