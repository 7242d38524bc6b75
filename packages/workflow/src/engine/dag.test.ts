import assert from 'node:assert/strict';
import { runCases } from './test-cases.ts';

runCases([
  {
    why: 'a diamond runs in the order of its dependencies, and ancestors are visible',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say}
      - {name: B, dependencies: [A], template: say}
      - {name: C, depends: A.Succeeded, template: say}
      - {name: D, depends: B && C, template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.result}}{{tasks.B.status}}"}]}}
    outputs: {parameters: [{name: r, globalName: r, valueFrom: {expression: "tasks.D.outputs.result"}}]}
`,
    phase: 'Succeeded',
    check: ({ nodes, status }) => {
      assert.equal(nodes[0]?.outputs?.parameters?.[0]?.value, 'helloSucceeded');
      assert.equal(status.outputs, undefined, 'a DAG does not export its own outputs');
    },
    tree: `
wf | DAG | Succeeded
wf.A | Pod | Succeeded
wf.B | Pod | Succeeded
wf.C | Pod | Succeeded
wf.D | Pod | Succeeded`,
  },
  {
    why: 'tasks after a failure are omitted, and the failure of the branch is that of the dag',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: fail}
      - {name: B, dependencies: [A], template: say}
      - {name: C, dependencies: [B], template: say}
      - {name: X, template: say}
`,
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | Pod | Failed | main: Error (exit code 1)
wf.X | Pod | Succeeded
wf.B | Skipped | Omitted | omitted: depends condition not met
wf.C | Skipped | Omitted | omitted: depends condition not met`,
  },
  {
    why: 'a failure that a later task handled does not fail the dag',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: fail}
      - {name: B, depends: "A.Failed", template: say}
`,
    phase: 'Succeeded',
  },
  {
    why: 'continueOn of a target and of a dependency',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: fail, continueOn: {failed: true}}
      - {name: B, dependencies: [A], template: say}
      - {name: C, template: fail, continueOn: {failed: true}}
`,
    phase: 'Succeeded',
  },
  {
    why: 'only targets and their ancestors are created',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: t, value: B}]}
  templates:
  - name: main
    dag:
      target: "{{workflow.parameters.t}}"
      tasks:
      - {name: A, template: say}
      - {name: B, dependencies: [A], template: say}
      - {name: C, dependencies: [B], template: say}
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | Pod | Succeeded
wf.B | Pod | Succeeded`,
  },
  {
    why: 'a malformed condition ends its task with an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: say}, {name: B, depends: "A &&", template: say}]}
`,
    phase: 'Error',
    check: ({ nodes }) => {
      const node = nodes.find(({ name }) => name === 'wf.B');
      if (node?.type !== 'Skipped' || !node.message?.startsWith('unable to evaluate expression'))
        throw new Error(node?.message);
    },
  },
  {
    why: 'a reference to a task that is no ancestor ends the task and the dag with an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say}
      - {name: B, template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.result}}"}]}}
`,
    phase: 'Error',
    tree: `
wf | DAG | Error
wf.A | Pod | Succeeded
wf.B | Skipped | Error | failed to resolve {{tasks.A.outputs.result}}`,
  },
  {
    why: 'a task that cannot be executed says so',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: do}]}
`,
    phase: 'Error',
    tree: `
wf | DAG | Error
wf.A | Skipped | Error | task 'wf.A' errored: inputs.parameters.what was not supplied`,
  },
  {
    why: 'absent outputs: defaults of producer and consumer, ??, and the error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: give, when: "1 == 2"}
      - {name: B, depends: A, template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.parameters.out}}"}]}}
      - {name: C, depends: A, template: say, arguments: {parameters: [{name: text, value: "{{=tasks.A.outputs.parameters.out ?? 'none'}}"}]}}
      - {name: D, depends: B && C, template: say, arguments: {parameters: [{name: text, value: "{{tasks.B.outputs.result}} {{tasks.C.outputs.result}}"}]}}
      - {name: E, depends: D, template: do, arguments: {parameters: [{name: what, value: "{{tasks.A.outputs.parameters.out}}"}]}}
`,
    phase: 'Error',
    tree: `
wf | DAG | Error
wf.A | Skipped | Skipped | when '1 == 2' evaluated false
wf.B | Pod | Succeeded
wf.C | Pod | Succeeded
wf.D | Pod | Succeeded
wf.E | Skipped | Error | task 'wf.E' errored: inputs.parameters.what: argument references an absent optional (skipped/omitted node output with no default)`,
    check: ({ starts }) => {
      const text = starts.at(-1)?.template.container?.args?.[0];
      if (text !== 'echo hello none') throw new Error(text);
    },
  },
  {
    why: 'when that is not boolean ends the task with an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: say, when: "3 + 4"}]}
`,
    phase: 'Error',
    tree: `
wf | DAG | Error
wf.A | Skipped | Error | Expected boolean evaluation for '3 + 4'. Got 7`,
  },
  {
    why: 'a dag whose nested steps ended in a group without children ends too',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: inner}, {name: B, depends: A, template: say}]}
  - name: inner
    steps: [[{name: s, template: say, when: "== x"}]]
`,
    phase: 'Error',
    check: ({ nodes }) => {
      const phases = nodes.map(({ name, phase }) => `${name} ${phase}`).join();
      if (phases !== 'wf Error,wf.A Failed,wf.A[0] Error,wf.B Omitted') throw new Error(phases);
    },
  },
  {
    why: 'recursion of templates ends at a depth of 100',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: main}]}
`,
    phase: 'Error',
    check: ({ nodes }) => {
      const last = nodes.find(({ message }) => message?.startsWith('Maximum recursion depth exceeded'));
      if (last === undefined || nodes.length !== 100) throw new Error(String(nodes.length));
    },
  },
  {
    why: 'spec.parallelism limits the pods of all templates',
    spec: `
  entrypoint: main
  parallelism: 3
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: inner}
      - {name: B, template: inner}
  - name: inner
    steps: [[{name: s, template: say, withSequence: {count: 5}}]]
`,
    phase: 'Succeeded',
    check: ({ maxRunning, starts }) => {
      if (maxRunning !== 3 || starts.length !== 10) throw new Error(`${maxRunning} of ${starts.length}`);
    },
  },
]);
