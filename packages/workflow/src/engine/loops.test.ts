import { runCases } from './test-cases.ts';

runCases([
  {
    why: 'items of every type, and a group node in a dag',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say, arguments: {parameters: [{name: text, value: "{{item}}"}]}, withItems: [x, 1, true, {b: 2, a: "(y)"}, [1, z]]}
      - {name: B, depends: A, template: say, arguments: {parameters: [{name: text, value: "{{item.os}}-{{item.v}}"}]}, withItems: [{os: debian, v: 9.1}]}
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | TaskGroup | Succeeded
wf.A(0:x) | Pod | Succeeded
wf.A(1:1) | Pod | Succeeded
wf.A(2:true) | Pod | Succeeded
wf.A(3:a:y,b:2) | Pod | Succeeded
wf.A(4:[1 z]) | Pod | Succeeded
wf.B | TaskGroup | Succeeded
wf.B(0:os:debian,v:9.1) | Pod | Succeeded`,
    check: ({ starts }) => {
      const texts = starts.map(({ template }) => template.container?.args?.[0]).join();
      if (texts !== 'echo x,echo 1,echo true,echo {"a":"(y)","b":2},echo [1,"z"],echo debian-9.1')
        throw new Error(texts);
    },
  },
  {
    why: 'withParam, withSequence in both directions, with a format, and empty',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: say, withParam: '["p", {"k": 1}]'}
      - {name: b, template: say, withSequence: {start: 2, end: 1, format: "n%02X"}}
      - {name: c, template: say, withSequence: {count: 0}}
      - {name: d, template: say, withParam: "[]"}
`,
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a(0:p) | Pod | Succeeded
wf[0].a(1:k:1) | Pod | Succeeded
wf[0].b(0:n02) | Pod | Succeeded
wf[0].b(1:n01) | Pod | Succeeded
wf[0].c | Skipped | Skipped | Skipped, empty params
wf[0].d | Skipped | Skipped | Skipped, empty params`,
  },
  {
    why: 'outputs of a loop are aggregated in the order of the items, of those that succeeded',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: give, arguments: {parameters: [{name: text, value: "{{item}}"}]}, withItems: [x, y]}
      - {name: j, template: give, arguments: {parameters: [{name: text, value: '[{{item}}]'}]}, withItems: [1, 2]}
      - {name: r, template: say, arguments: {parameters: [{name: text, value: '{"i":{{item}}}'}]}, withItems: [1, 2]}
      - {name: f, template: do, continueOn: {failed: true}, arguments: {parameters: [{name: what, value: "echo {{item}}; exit {{item}}"}]}, withItems: [0, 1]}
    - - name: z
        template: say
        arguments: {parameters: [{name: text, value: "{{steps.a.outputs.parameters.out}} {{steps.a.outputs.parameters}} {{steps.j.outputs.parameters.out}} {{steps.r.outputs.result}} {{steps.f.outputs.result}}"}]}
`,
    phase: 'Succeeded',
    check: ({ starts }) => {
      const text = starts.at(-1)?.template.container?.args?.[0];
      const wanted = 'echo ["x","y"] [{"out":"x"},{"out":"y"}] [[1],[2]] [{"i":1},{"i":2}] [0]';
      if (text !== wanted) throw new Error(text);
    },
  },
  {
    why: 'a looped result that is not JSON is an error for those that follow',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say, withItems: [1]}
      - {name: B, depends: A, template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.result}}"}]}}
`,
    phase: 'Error',
    message: "error in entry template execution: invalid character 'h' looking for beginning of value",
    tree: `
wf | DAG | Error | invalid character 'h' looking for beginning of value
wf.A | TaskGroup | Succeeded
wf.A(0:1) | Pod | Succeeded
wf.B | Skipped | Error | invalid character 'h' looking for beginning of value`,
  },
  {
    why: 'withParam that is no list',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: say, withParam: "nope"}]]
`,
    phase: 'Failed',
    message:
      "withParam value could not be parsed as a JSON list: nope: invalid character 'o' in literal null (expecting 'u')",
  },
  {
    why: 'a condition is tested for each item; all skipped is a success',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: say, when: "{{item}} > 1", withItems: [1, 2]}
      - {name: B, template: say, when: "{{item}} > 5", withItems: [1]}
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | TaskGroup | Succeeded
wf.A(0:1) | Skipped | Skipped | when '1 > 1' evaluated false
wf.A(1:2) | Pod | Succeeded
wf.B | TaskGroup | Succeeded
wf.B(0:1) | Skipped | Skipped | when '1 > 5' evaluated false`,
  },
  {
    why: 'AnySucceeded and AllFailed look at the items, other results at the group',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: do, arguments: {parameters: [{name: what, value: "exit {{item}}"}]}, withItems: [0, 1]}
      - {name: B, depends: A.AnySucceeded, template: say}
      - {name: C, depends: A.AllFailed, template: say}
      - {name: D, depends: A.Failed, template: say}
`,
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | TaskGroup | Failed
wf.A(0:0) | Pod | Succeeded
wf.A(1:1) | Pod | Failed | main: Error (exit code 1)
wf.B | Pod | Succeeded
wf.C | Skipped | Omitted | omitted: depends condition not met
wf.D | Pod | Succeeded`,
  },
  {
    why: 'a workflow parameter is chosen by item in an expression',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: one, value: "1"}, {name: two, value: "2"}]}
  templates:
  - name: main
    steps: [[{name: a, template: say, arguments: {parameters: [{name: text, value: "{{=workflow.parameters[item]}}"}]}, withItems: [one, two]}]]
`,
    phase: 'Succeeded',
    check: ({ starts }) => {
      const texts = starts.map(({ template }) => template.container?.args?.[0]).join();
      if (texts !== 'echo 1,echo 2') throw new Error(texts);
    },
  },
]);
