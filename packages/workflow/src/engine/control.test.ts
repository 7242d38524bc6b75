import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentOf, runCases } from './test-cases.ts';
import { simulate } from './test-simulate.ts';

const approve = `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: approve}
    - - {name: b, template: say, arguments: {parameters: [{name: text, value: "{{steps.a.outputs.parameters.ok}}"}]}}
  - name: approve
    suspend: {}
    outputs: {parameters: [{name: ok, valueFrom: {supplied: {}}}]}
`;

const hanging = (more: string): string => `
  entrypoint: main
  onExit: say
${more}  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: do, arguments: {parameters: [{name: what, value: hang}]}, onExit: say}
      - {name: B, depends: A, template: say}
      - {name: C, template: wait}
  - {name: wait, suspend: {}}
`;

runCases([
  {
    why: 'a suspended node is set and resumed',
    spec: approve,
    options: {
      commands: {
        1: { name: 'set', selector: 'displayName=a', parameters: { other: 'x' } },
        2: { name: 'resume', selector: 'displayName=a' },
        3: { name: 'set', selector: 'displayName=none', parameters: {} },
        4: { name: 'set', selector: 'displayName=a', parameters: { ok: 'yes' } },
        5: { name: 'set', selector: 'displayName=a', parameters: { ok: 'no' } },
        6: { name: 'resume', message: 'by me' },
      },
    },
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Suspend | Succeeded | by me
wf[1] | StepGroup | Succeeded
wf[1].b | Pod | Succeeded`,
    check: ({ rejections, starts }) => {
      const wanted = [
        "node is not expecting output parameter 'other'",
        "raw output parameter 'ok' has not been set and does not have a default value",
        'currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: displayName=none',
        "cannot set output parameter 'ok' because it does not use valueFrom.raw or it was already set",
      ];
      if (rejections.join('\n') !== wanted.join('\n')) throw new Error(rejections.join('\n'));
      if (starts[0]?.template.container?.args?.[0] !== 'echo yes') throw new Error('the value was not passed on');
    },
  },
  {
    why: 'a suspend with a duration ends itself',
    spec: `
  entrypoint: main
  templates:
  - {name: main, suspend: {duration: "20"}}
`,
    phase: 'Succeeded',
    tree: 'wf | Suspend | Succeeded',
    check: ({ status }) => {
      const passed = Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '');
      if (passed !== 20_000) throw new Error(String(passed));
    },
  },
  {
    why: 'a suspended workflow starts nothing until it is resumed',
    spec: `
  entrypoint: main
  suspend: true
  templates:
  - name: main
    steps: [[{name: a, template: say}]]
`,
    options: { commands: { 5: { name: 'resume' } } },
    phase: 'Succeeded',
  },
  {
    why: 'stop ends everything but runs the exit handlers',
    spec: hanging(''),
    options: { commands: { 3: { name: 'stop' } } },
    phase: 'Failed',
    message: "Stopped with strategy 'Stop'",
    tree: `
wf | DAG | Failed
wf.A | Pod | Failed | workflow shutdown with strategy:  Stop
wf.C | Suspend | Failed | Stopped with strategy 'Stop'
wf.A.onExit | Pod | Succeeded
wf.B | Skipped | Omitted | omitted: depends condition not met
wf.onExit | Pod | Succeeded`,
    check: ({ kills, status }) => {
      if (kills.join() !== 'wf.A' || status.shutdown !== 'Stop') throw new Error(kills.join());
    },
  },
  {
    why: 'terminate runs no exit handlers',
    spec: hanging(''),
    options: { commands: { 3: { name: 'terminate' } } },
    phase: 'Failed',
    message: "Stopped with strategy 'Terminate'",
    tree: `
wf | DAG | Failed
wf.A | Pod | Failed | workflow shutdown with strategy:  Terminate
wf.C | Suspend | Failed | Stopped with strategy 'Terminate'
wf.B | Skipped | Omitted | omitted: depends condition not met`,
  },
  {
    why: 'at the deadline of the workflow all nodes end, and the exit handler still runs',
    spec: hanging('  activeDeadlineSeconds: 30\n'),
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | Pod | Failed | Step exceeded its deadline
wf.C | Suspend | Failed | Step exceeded its deadline
wf.A.onExit | Pod | Succeeded
wf.B | Skipped | Omitted | omitted: depends condition not met
wf.onExit | Pod | Succeeded`,
  },
  {
    why: 'a stopped retry says so',
    spec: `
  entrypoint: main
  templates:
  - name: main
    retryStrategy: {limit: 5, backoff: {duration: 1h}}
    container: {image: x, args: ["exit 1"]}
`,
    options: { commands: { 3: { name: 'stop' } } },
    phase: 'Failed',
    message: "Stopped with strategy 'Stop'",
    tree: `
wf | Retry | Failed | Stopped with strategy 'Stop'
wf(0) | Pod | Failed | main: Error (exit code 1)`,
  },
  {
    why: 'the deadline of a template kills the pod, and what it printed is kept',
    spec: `
  entrypoint: main
  templates:
  - name: main
    activeDeadlineSeconds: "{{=5 * 2}}"
    container: {image: x, args: ["hang"]}
`,
    phase: 'Failed',
    message: 'Pod was active on the node longer than the specified deadline',
    check: ({ nodes, kills }) => {
      if (nodes[0]?.outputs?.exitCode !== '143' || kills[0] !== 'wf') throw new Error(nodes[0]?.outputs?.exitCode);
    },
  },
  {
    why: 'a timeout that is over when the pod would be made is an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    timeout: 2s
    container: {image: x, args: ["hang"]}
`,
    phase: 'Error',
    message: 'error in entry template execution: wf exceeded its deadline',
    tree: 'wf | Pod | Error | wf exceeded its deadline',
  },
  {
    why: 'a longer timeout becomes a deadline of the pod',
    spec: `
  entrypoint: main
  templates:
  - name: main
    timeout: 20s
    container: {image: x, args: ["hang"]}
`,
    phase: 'Failed',
    message: 'Pod was active on the node longer than the specified deadline',
  },
]);

test('a completed workflow is not shut down', () => {
  const { execution } = simulate(documentOf('  entrypoint: say\n  templates:\n'));
  const { rejections } = execution.advance([{ kind: 'command', command: { name: 'stop' } }], 1e13);
  assert.deepEqual(
    rejections.map(({ message }) => message),
    ['cannot shutdown a completed workflow'],
  );
});
