import { runCases } from './test-cases.ts';

runCases([
  {
    why: 'groups run one after the other and see the results of those before',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: say}
    - - {name: b, template: say, arguments: {parameters: [{name: text, value: "{{steps.a.outputs.result}}!"}]}}
      - {name: c, template: say}
    outputs: {parameters: [{name: r, globalName: r, valueFrom: {parameter: "{{steps.b.outputs.result}}"}}]}
`,
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'r', value: 'hello!' }] },
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Succeeded
wf[1] | StepGroup | Succeeded
wf[1].b | Pod | Succeeded
wf[1].c | Pod | Succeeded`,
  },
  {
    why: 'a failed step fails its group and the template with the same message',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: fail}
      - {name: b, template: say}
    - - {name: c, template: say}
`,
    phase: 'Failed',
    message: "child 'wf-3986212215' failed",
    tree: `
wf | Steps | Failed | child 'wf-3986212215' failed
wf[0] | StepGroup | Failed | child 'wf-3986212215' failed
wf[0].a | Pod | Failed | main: Error (exit code 1)
wf[0].b | Pod | Succeeded`,
  },
  {
    why: 'continueOn lets the steps go on after a failure',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: fail, continueOn: {failed: true}}
    - - {name: c, template: say, arguments: {parameters: [{name: text, value: "{{steps.a.status}} {{steps.a.exitCode}}"}]}}
    outputs: {parameters: [{name: r, globalName: r, valueFrom: {parameter: "{{steps.c.outputs.result}}"}}]}
`,
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'r', value: 'Failed 1' }] },
  },
  {
    why: 'a condition that is false skips the step before anything else is resolved',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: say}
    - - {name: b, template: say, when: "{{steps.a.outputs.result}} != hello", arguments: {parameters: [{name: text, value: "{{steps.none.outputs.result}}"}]}}
    - - {name: c, template: say, when: "{{steps.b.status}} == Skipped"}
`,
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Succeeded
wf[1] | StepGroup | Succeeded
wf[1].b | Skipped | Skipped | when 'hello != hello' evaluated false
wf[2] | StepGroup | Succeeded
wf[2].c | Pod | Succeeded`,
  },
  {
    why: 'a reference to a step that does not exist ends the group with an error that names it',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: say, arguments: {parameters: [{name: text, value: "{{steps.none.outputs.result}}"}]}}
`,
    phase: 'Failed',
    message: 'failed to resolve references: failed to resolve {{steps.none.outputs.result}}',
    tree: `
wf | Steps | Failed | failed to resolve references: failed to resolve {{steps.none.outputs.result}}
wf[0] | StepGroup | Error | failed to resolve references: failed to resolve {{steps.none.outputs.result}}`,
  },
  {
    why: 'a step that cannot be executed ends the group with an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: do}]]
`,
    phase: 'Failed',
    message: 'step group deemed errored due to child wf[0].a error: inputs.parameters.what was not supplied',
    tree: `
wf | Steps | Failed | step group deemed errored due to child wf[0].a error: inputs.parameters.what was not supplied
wf[0] | StepGroup | Error | step group deemed errored due to child wf[0].a error: inputs.parameters.what was not supplied
wf[0].a | Skipped | Error | inputs.parameters.what was not supplied`,
  },
  {
    why: 'an output that cannot be resolved ends the workflow with an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: say}]]
    outputs: {parameters: [{name: r, valueFrom: {parameter: "{{steps.a.outputs.parameters.none}}"}}]}
`,
    phase: 'Error',
    message: 'error in entry template execution: Unable to resolve: "steps.a.outputs.parameters.none"',
    tree: `
wf | Steps | Error | Unable to resolve: "steps.a.outputs.parameters.none"
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Succeeded`,
  },
  {
    why: 'an absent output makes the default of the consumer apply, and is an error otherwise',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: give, when: "false"}
    - - {name: b, template: say, arguments: {parameters: [{name: text, value: "{{steps.a.outputs.parameters.out}}"}]}}
    - - {name: c, template: say, arguments: {parameters: [{name: text, value: "<{{steps.a.outputs.parameters.out}}>"}]}}
`,
    phase: 'Failed',
    message:
      'failed to resolve references: unable to substitute {{steps.a.outputs.parameters.out}}: output is an absent optional (skipped/omitted node with no default)',
  },
  {
    why: 'a pod as entrypoint takes arguments of the workflow by name',
    spec: `
  entrypoint: do
  arguments: {parameters: [{name: what, value: "exit 3"}]}
  templates:
`,
    phase: 'Failed',
    message: 'main: Error (exit code 3)',
    tree: 'wf | Pod | Failed | main: Error (exit code 3)',
    check: ({ nodes }) => {
      if (nodes[0]?.outputs?.exitCode !== '3') throw new Error('the exit code is missing');
    },
  },
  {
    why: 'template parallelism limits how many children run at once',
    spec: `
  entrypoint: main
  templates:
  - name: main
    parallelism: 2
    steps: [[{name: a, template: say, withSequence: {count: 7}}]]
`,
    phase: 'Succeeded',
    check: ({ maxRunning, starts }) => {
      const order = starts.map(({ node }) => node.slice(0, 9)).join();
      if (maxRunning !== 2 || !order.startsWith('wf[0].a(0,wf[0].a(1,wf[0].a(2'))
        throw new Error(`${maxRunning} ${order}`);
    },
  },
  {
    why: 'failFast ends the template when a child failed and none runs',
    spec: `
  entrypoint: main
  templates:
  - name: main
    parallelism: 1
    failFast: true
    steps: [[{name: a, template: do, arguments: {parameters: [{name: what, value: "exit {{item}}"}]}, withItems: [0, 1, 2]}]]
`,
    phase: 'Failed',
    message: 'template has failed or errored children and failFast enabled',
    tree: `
wf | Steps | Failed | template has failed or errored children and failFast enabled
wf[0] | StepGroup | Failed | template has failed or errored children and failFast enabled
wf[0].a(0:0) | Pod | Succeeded
wf[0].a(1:1) | Pod | Failed | main: Error (exit code 1)`,
  },
]);
