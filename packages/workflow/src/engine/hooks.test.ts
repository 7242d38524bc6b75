import { runCases } from './test-cases.ts';

runCases([
  {
    why: 'a task after a hook that has a retryStrategy counts for its dag',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: again, hooks: {exit: {template: again}}}
      - {name: b, template: fail, depends: a}
  - name: again
    retryStrategy: {limit: 1}
    container: {image: x, args: ["echo"]}
`,
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.a | Retry | Succeeded
wf.a(0) | Pod | Succeeded
wf.a.onExit | Retry | Succeeded
wf.a.onExit(0) | Pod | Succeeded
wf.b | Pod | Failed | main: Error (exit code 1)`,
  },
  {
    why: 'the exit handler of the workflow sees its status and failures',
    spec: `
  entrypoint: fail
  onExit: after
  templates:
  - name: after
    container: {image: x, args: ["echo {{workflow.status}} {{workflow.failures}}"]}
`,
    phase: 'Failed',
    message: 'main: Error (exit code 1)',
    tree: `
wf | Pod | Failed | main: Error (exit code 1)
wf.onExit | Pod | Succeeded`,
    check: ({ starts }) => {
      const text = starts[1]?.template.container?.args?.[0] ?? '';
      const wanted =
        'echo Failed "[{\\"displayName\\":\\"wf\\",\\"message\\":\\"main: Error (exit code 1)\\",\\"templateName\\":\\"fail\\"';
      if (!text.startsWith(wanted)) throw new Error(text);
    },
  },
  {
    why: 'a failed exit handler turns success into failure',
    spec: `
  entrypoint: say
  onExit: fail
  templates:
`,
    phase: 'Failed',
    message: 'main: Error (exit code 1)',
  },
  {
    why: 'an exit handler never improves a failure',
    spec: `
  entrypoint: fail
  hooks: {exit: {template: say}}
  templates:
`,
    phase: 'Failed',
    message: 'main: Error (exit code 1)',
  },
  {
    why: 'hooks of the workflow run once when their expression holds',
    spec: `
  entrypoint: say
  hooks:
    running: {template: say, expression: workflow.status == "Running"}
    failed: {template: say, expression: workflow.status == "Failed"}
    done: {template: say, expression: workflow.status == "Succeeded"}
  templates:
`,
    phase: 'Succeeded',
    check: ({ nodes }) => {
      const names = nodes
        .map(({ name }) => name)
        .sort()
        .join(' ');
      if (names !== 'wf wf.hooks.done wf.hooks.running') throw new Error(names);
    },
  },
  {
    why: 'exit handlers of tasks run for those that completed, may use their outputs, and are waited for',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - name: A
        template: give
        hooks: {exit: {template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.parameters.out}} {{tasks.A.status}}"}]}}}
      - {name: B, depends: A, template: say, when: "false", onExit: say}
      - {name: C, depends: B, template: fail, onExit: say, continueOn: {failed: true}}
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | Pod | Succeeded
wf.A.onExit | Pod | Succeeded
wf.B | Skipped | Skipped | when 'false' evaluated false
wf.C | Pod | Failed | main: Error (exit code 1)
wf.C.onExit | Pod | Succeeded`,
    check: ({ starts }) => {
      const text = starts[1]?.template.container?.args?.[0];
      if (text !== 'echo given Succeeded') throw new Error(text);
    },
  },
  {
    why: 'hooks of steps run when their expression holds, and failures of them do not count',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - name: a
        template: say
        hooks:
          running: {template: fail, expression: 'steps["a"].status == "Running"'}
          never: {template: say, expression: 'steps["a"].status == "Failed"'}
    - - {name: b, template: say}
`,
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Succeeded
wf[0].a.hooks.running | Pod | Failed | main: Error (exit code 1)
wf[1] | StepGroup | Succeeded
wf[1].b | Pod | Succeeded`,
  },
  {
    why: 'in a loop the exit handler runs for each item, and for the group',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: say, withItems: [x], onExit: say}, {name: B, depends: A, template: say}]}
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | TaskGroup | Succeeded
wf.A(0:x) | Pod | Succeeded
wf.A(0:x).onExit | Pod | Succeeded
wf.A.onExit | Pod | Succeeded
wf.B | Pod | Succeeded`,
  },
]);
