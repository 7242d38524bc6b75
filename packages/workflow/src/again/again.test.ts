import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWorkflow } from '../document/parse-workflow.ts';
import { restoreExecution } from '../engine/execution.ts';
import { documentOf } from '../engine/test-cases.ts';
import { simulate, treeOf } from '../engine/test-simulate.ts';
import { resubmitWorkflow } from './resubmit-workflow.ts';
import { retryWorkflow, type StoredWorkflow } from './retry-workflow.ts';

const text = documentOf(`
  entrypoint: main
  onExit: say
  arguments: {parameters: [{name: code, value: "1"}]}
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say}
      - {name: B, depends: A, template: maybe}
      - {name: C, depends: B, template: steps}
      - {name: L, template: maybe, withItems: [0, x]}
  - name: steps
    steps: [[{name: s, template: say}]]
  - name: maybe
    retryStrategy: {limit: 1}
    container: {image: x, args: ["exit {{workflow.parameters.code}}"]}
`);

function failedRun(): StoredWorkflow {
  const { status, nodes } = simulate(text);
  assert.equal(status.phase, 'Failed');
  return { document: parseWorkflow(text), status, nodes };
}

/** Executes a workflow whose containers all succeed. Returns the nodes that were started. */
function execute(stored: StoredWorkflow): string[] {
  const execution = restoreExecution(stored);
  const started: string[] = [];
  let { actions } = execution.advance([], 1e12);
  while (actions.some(({ kind }) => kind === 'start')) {
    const nodes = actions.filter(action => action.kind === 'start').map(({ node }) => node);
    started.push(...nodes);
    ({ actions } = execution.advance(
      nodes.map(node => ({ kind: 'ended', node, exitCode: 0, containers: { a: 0, b: 0 } })),
      1e12,
    ));
  }
  assert.equal(execution.status.phase, 'Succeeded');
  return started;
}

test('retry removes what failed and what followed, and keeps what succeeded', () => {
  const retried = retryWorkflow(failedRun(), { parameters: { code: '0' } });
  assert.deepEqual(
    retried.nodes.map(({ name, phase }) => `${name} ${phase}`),
    ['wf Running', 'wf.A Succeeded', 'wf.L Running', 'wf.B Running'],
  );
  assert.equal(retried.status.phase, 'Pending');
  assert.deepEqual(execute(retried), ['wf.L(0:0)(0)', 'wf.L(1:x)(0)', 'wf.B(0)', 'wf.C[0].s', 'wf.onExit']);
});

test('retry is refused for a workflow that did not fail', () => {
  const { status, nodes } = simulate(text.replace('value: "1"', 'value: "0"'));
  const stored = { document: parseWorkflow(text), status, nodes };
  assert.throws(() => retryWorkflow(stored), /To retry a succeeded workflow, set the options/);
  assert.throws(
    () => retryWorkflow({ ...stored, status: { phase: 'Running' } }),
    /Cannot retry a workflow in phase Running/,
  );
  const retried = retryWorkflow(stored, { restartSuccessful: true, selector: 'displayName=B' });
  const names = retried.nodes.map(({ name }) => name);
  assert.ok(names.includes('wf.A') && !names.includes('wf.B') && !names.includes('wf.C[0].s'), names.join());
});

test('a stopped workflow can be retried', () => {
  const { status, nodes } = simulate(text.replace('exit {{workflow.parameters.code}}', 'hang'), {
    commands: { 6: { name: 'stop' } },
  });
  const { document } = failedRun();
  const retried = retryWorkflow({
    document: { ...document, spec: { ...document.spec, shutdown: 'Stop' } },
    status,
    nodes,
  });
  assert.equal(retried.document.spec.shutdown, undefined);
  assert.equal(retried.status.shutdown, undefined);
});

test('resubmit makes a new workflow, which may take over what succeeded', () => {
  const stored = failedRun();
  const plain = resubmitWorkflow(stored, { name: 'new' });
  assert.deepEqual([plain.document.metadata.name, plain.nodes.length], ['new', 0]);
  const { document, nodes } = resubmitWorkflow(stored, { name: 'new', isMemoized: true, parameters: { code: '0' } });
  assert.deepEqual(
    nodes.map(({ name, phase }) => `${name} ${phase}`),
    ['new.A Skipped'],
  );
  const execution = restoreExecution({ document, status: { phase: '' }, nodes });
  const { actions } = execution.advance([], 1e12);
  const started = actions.filter(({ kind }) => kind === 'start').map(action => ('node' in action ? action.node : ''));
  assert.deepEqual(started, ['new.L(0:0)(0)', 'new.L(1:x)(0)', 'new.B(0)']);
  assert.ok(
    treeOf({ nodes: [...execution.nodes] } as never).some(line =>
      line.startsWith('new.A | Skipped | Skipped | original pod'),
    ),
  );
});

const paths: readonly { why: string; spec: string; kept: readonly string[]; started: readonly string[] }[] = [
  {
    why: 'what is around a failed node runs again, and templates before it on the way up',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: steps}, {name: B, depends: A, template: fail}, {name: X, template: say}]}
  - name: steps
    steps: [[{name: s, template: say}]]
`,
    kept: ['wf Running', 'wf.A Running', 'wf.X Succeeded', 'wf.A[0] Running', 'wf.A[0].s Succeeded'],
    started: ['wf.B'],
  },
  {
    why: 'a failure that a later task dealt with is kept',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: fail}, {name: B, depends: A.Failed, template: say}, {name: C, depends: B, template: fail}]}
`,
    kept: ['wf Running', 'wf.A Failed', 'wf.B Succeeded'],
    started: ['wf.C'],
  },
  {
    why: 'of a template with attempts only the last one runs again',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: r, template: inner}]]
  - name: inner
    retryStrategy: {limit: 1}
    steps: [[{name: ok, template: say}], [{name: bad, template: fail}]]
`,
    kept: [
      'wf Running',
      'wf[0] Running',
      'wf[0].r Running',
      'wf[0].r(0) Failed',
      'wf[0].r(0)[0] Succeeded',
      'wf[0].r(0)[0].ok Succeeded',
      'wf[0].r(0)[1] Failed',
      'wf[0].r(0)[1].bad Failed',
      'wf[0].r(1) Running',
      'wf[0].r(1)[0] Succeeded',
      'wf[0].r(1)[0].ok Succeeded',
      'wf[0].r(1)[1] Running',
    ],
    started: ['wf[0].r(1)[1].bad'],
  },
  {
    why: 'containers of a set are executed again together',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: ok, template: say}], [{name: c, template: set}]]
  - name: set
    containerSet: {containers: [{name: a, image: x, args: ["exit 0"]}, {name: b, image: x, args: ["exit 3"], dependencies: [a]}]}
`,
    kept: ['wf Running', 'wf[0] Succeeded', 'wf[0].ok Succeeded', 'wf[1] Running'],
    started: ['wf[1].c'],
  },
];

for (const { why, spec, kept, started } of paths) {
  test(`retry: ${why}`, () => {
    const document = parseWorkflow(documentOf(spec));
    const { status, nodes } = simulate(documentOf(spec));
    const retried = retryWorkflow({ document, status, nodes });
    assert.deepEqual(
      retried.nodes.map(({ name, phase }) => `${name} ${phase}`),
      kept,
    );
    assert.deepEqual(execute(retried), started);
  });
}
