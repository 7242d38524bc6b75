import { runCases } from './test-cases.ts';
import { simulationStart } from './test-simulate.ts';

const spec = (strategy: string, what: string): string => `
  entrypoint: main
  templates:
  - name: main
    retryStrategy: ${strategy}
    container: {image: x, args: ["${what}"]}
`;

runCases([
  {
    why: 'a failed attempt is followed by others until one succeeds, whose outputs count',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: flaky}
    outputs: {parameters: [{name: r, globalName: r, valueFrom: {parameter: "{{steps.a.outputs.result}}"}}]}
  - name: flaky
    retryStrategy: {limit: "{{=2 + 3}}"}
    container: {image: x, args: ["echo {{retries}} {{lastRetry.exitCode}} {{lastRetry.status}}; exit {{=asInt(retries) < 2 ? 7 : 0}}"]}
`,
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'r', value: '2 7 Failed' }] },
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Retry | Succeeded
wf[0].a(0) | Pod | Failed | main: Error (exit code 7)
wf[0].a(1) | Pod | Failed | main: Error (exit code 7)
wf[0].a(2) | Pod | Succeeded`,
  },
  {
    why: 'limit 1 allows two attempts',
    spec: spec('{limit: 1}', 'exit 1'),
    phase: 'Failed',
    message: 'No more retries left',
    tree: `
wf | Retry | Failed | No more retries left
wf(0) | Pod | Failed | main: Error (exit code 1)
wf(1) | Pod | Failed | main: Error (exit code 1)`,
  },
  {
    why: 'limit 0 allows one attempt',
    spec: spec('{limit: 0}', 'exit 1'),
    phase: 'Failed',
    message: 'No more retries left',
  },
  {
    why: 'a phase that the policy does not cover keeps the message of the attempt',
    spec: spec('{limit: 3, retryPolicy: OnError}', 'exit 1'),
    phase: 'Failed',
    message: 'main: Error (exit code 1)',
    tree: `
wf | Retry | Failed | main: Error (exit code 1)
wf(0) | Pod | Failed | main: Error (exit code 1)`,
  },
  {
    why: 'a lost pod is an error, which OnError retries',
    spec: spec('{limit: 1, retryPolicy: OnError}', "{{=retries == '0' ? 'lost' : 'exit 0'}}"),
    phase: 'Succeeded',
    tree: `
wf | Retry | Succeeded
wf(0) | Pod | Error | pod deleted
wf(1) | Pod | Succeeded`,
  },
  {
    why: 'an expression decides, with all phases covered by default',
    spec: spec(
      '{limit: 9, expression: "lastRetry.exitCode != \'2\' && asInt(retries) < 5"}',
      'exit {{=asInt(retries) + 1}}',
    ),
    phase: 'Failed',
    message: 'retryStrategy.expression evaluated to false',
    check: ({ starts }) => {
      if (starts.length !== 2) throw new Error(String(starts.length));
    },
  },
  {
    why: 'the duration of an attempt is in whole seconds, so that expressions can convert it',
    spec: spec('{limit: 9, expression: "asInt(lastRetry.duration) < 120"}', 'exit {{=asInt(retries) < 1 ? 1 : 0}}'),
    phase: 'Succeeded',
  },
  {
    why: 'backoff waits, longer each time, up to its cap, with or without a limit',
    spec: spec('{backoff: {duration: "10", factor: 2, cap: "15"}}', 'exit {{=asInt(retries) < 3 ? 1 : 0}}'),
    phase: 'Succeeded',
    check: ({ status }) => {
      const seconds = Math.floor((Date.parse(status.finishedAt ?? '') - simulationStart) / 1000);
      if (seconds !== 10 + 15 + 15) throw new Error(String(seconds));
    },
  },
  {
    why: 'no attempt is made that would begin after maxDuration',
    spec: spec('{limit: 5, backoff: {duration: 1m, maxDuration: 1m30s}}', 'exit 1'),
    phase: 'Failed',
    message: 'Backoff would exceed max duration limit',
    check: ({ starts }) => {
      if (starts.length !== 2) throw new Error(String(starts.length));
    },
  },
  {
    why: 'the strategy of the workflow is for every template, steps too',
    spec: `
  entrypoint: main
  retryStrategy: {limit: 1}
  templates:
  - name: main
    steps: [[{name: a, template: fail}]]
`,
    phase: 'Failed',
    message: 'No more retries left',
    check: ({ nodes }) => {
      const names = nodes.map(({ name }) => name).join(' ');
      const wanted =
        'wf wf(0) wf(0)[0] wf(0)[0].a wf(0)[0].a(0) wf(0)[0].a(1) wf(1) wf(1)[0] wf(1)[0].a wf(1)[0].a(0) wf(1)[0].a(1)';
      if (names !== wanted) throw new Error(names);
    },
  },
  {
    why: 'memory is named in the message',
    spec: spec('{limit: 0}', 'oom').replace('retryStrategy: {limit: 0}', 'activeDeadlineSeconds: 100'),
    phase: 'Failed',
    message: 'main: OOMKilled (exit code 137)',
  },
]);
