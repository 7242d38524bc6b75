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

test('retry removes what failed and what followed, and keeps what succeeded', () => {
  const retried = retryWorkflow(failedRun(), { parameters: { code: '0' } });
  assert.deepEqual(
    retried.nodes.map(({ name, phase }) => `${name} ${phase}`),
    ['wf Running', 'wf.A Succeeded', 'wf.L Running'],
  );
  assert.equal(retried.status.phase, 'Pending');
  const execution = restoreExecution(retried);
  const started: string[] = [];
  let { actions } = execution.advance([], 1e12);
  while (actions.some(({ kind }) => kind === 'start')) {
    const nodes = actions.filter(action => action.kind === 'start').map(({ node }) => node);
    started.push(...nodes);
    ({ actions } = execution.advance(
      nodes.map(node => ({ kind: 'ended', node, exitCode: 0 })),
      1e12,
    ));
  }
  assert.equal(execution.status.phase, 'Succeeded');
  assert.deepEqual(started, ['wf.L(0:0)(0)', 'wf.L(1:x)(0)', 'wf.B(0)', 'wf.C[0].s', 'wf.onExit']);
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
