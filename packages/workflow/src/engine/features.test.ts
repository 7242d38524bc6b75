import assert from 'node:assert/strict';
import { parseWorkflow } from '../document/parse-workflow.ts';
import { LockTable } from '../locks/lock-table.ts';
import { runCases } from './test-cases.ts';

const library = parseWorkflow(`
kind: WorkflowTemplate
metadata: {name: library}
spec:
  entrypoint: outer
  arguments: {parameters: [{name: greeting, value: from-library}]}
  templates:
  - name: outer
    steps: [[{name: s, template: inner}]]
  - name: inner
    container: {image: x, args: ["echo inner {{workflow.parameters.greeting}}"]}
`);
const storedTemplates = {
  find: (name: string, isCluster: boolean) => (name === 'library' && !isCluster ? library : undefined),
};
const firstText = (starts: readonly { template: { container?: { args?: string[] } } }[]): string | undefined =>
  starts.at(-1)?.template.container?.args?.[0];

runCases([
  {
    why: 'an annotation of the template gives the name that is displayed',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: named, arguments: {parameters: [{name: os, value: alpine}]}}]]
  - name: named
    metadata: {annotations: {workflows.argoproj.io/display-name: "os-{{inputs.parameters.os}}"}}
    inputs: {parameters: [{name: os}]}
    container: {image: x, args: ["echo hi"]}
`,
    phase: 'Succeeded',
    check: ({ nodes }) => assert.equal(nodes.at(-1)?.displayName, 'os-alpine'),
  },
  {
    why: 'templates of stored documents find each other there',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: greeting, value: mine}]}
  templates:
  - name: main
    dag: {tasks: [{name: A, templateRef: {name: library, template: outer}}, {name: I, inline: {container: {image: x, args: ["echo i"]}}}]}
`,
    options: { storedTemplates },
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.A | Steps | Succeeded
wf.I | Pod | Succeeded
wf.A[0] | StepGroup | Succeeded
wf.A[0].s | Pod | Succeeded`,
    check: ({ nodes, starts }) => {
      if (firstText(starts) !== 'echo inner mine') throw new Error(firstText(starts));
      const inner = nodes.find(({ name }) => name === 'wf.A[0].s');
      if (inner?.templateScope !== 'namespaced/library') throw new Error(inner?.templateScope);
    },
  },
  {
    why: 'templateDefaults reach every template, of their kind',
    spec: `
  entrypoint: main
  templateDefaults: {retryStrategy: {limit: 1}, container: {args: ["exit 2"]}}
  templates:
  - name: main
    container: {image: x}
`,
    phase: 'Failed',
    message: 'No more retries left',
    tree: `
wf | Retry | Failed | No more retries left
wf(0) | Pod | Failed | main: Error (exit code 2)
wf(1) | Pod | Failed | main: Error (exit code 2)`,
  },
  {
    why: 'values of the workflow',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: p, value: "{{workflow.name}}/{{workflow.labels.team}}"}]}
  templates:
  - name: main
    container: {image: x, args: ["echo {{workflow.parameters.p}} {{workflow.namespace}} {{workflow.creationTimestamp.Y}} {{workflow.creationTimestamp}} {{workflow.parameters}} {{pod.name}} {{node.name}} {{unknown}} {{=sprig.upper('x')}}"]}
`,
    phase: 'Succeeded',
    check: ({ starts }) => {
      const wanted = 'echo wf/red ns 2026 2026-01-02T03:04:05Z [{"name":"p","value":"wf/red"}] wf wf {{unknown}} X';
      if (firstText(starts) !== wanted) throw new Error(firstText(starts));
    },
  },
  {
    why: 'braces in values of users are no tags, however often they are passed on',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: p, value: "{{workflow.name}} {{=1+1}} {{{x}}}"}]}
  templates:
  - name: main
    steps: [[{name: a, template: say, arguments: {parameters: [{name: text, value: "{{workflow.parameters.p}}|{{=workflow.parameters.p}}"}]}}]]
`,
    options: { hasInertValues: true },
    phase: 'Succeeded',
    check: ({ starts, nodes }) => {
      const value = '{{workflow.name}} {{=1+1}} {{{x}}}';
      if (firstText(starts) !== `echo ${value}|${value}`) throw new Error(firstText(starts));
      if (nodes[2]?.inputs?.parameters?.[0]?.value !== `${value}|${value}`)
        throw new Error('the status shows another value');
    },
  },
  {
    why: 'outputs: a missing file takes the default or is an error; globals are visible to later steps and exit handlers',
    spec: `
  entrypoint: main
  onExit: after
  templates:
  - name: main
    steps:
    - - {name: a, template: out}
    - - {name: b, template: say, arguments: {parameters: [{name: text, value: "{{workflow.outputs.parameters.g}}"}]}}
    - - {name: c, template: missing}
  - name: out
    container: {image: x, args: ["write /g text"]}
    outputs: {parameters: [{name: g, globalName: g, valueFrom: {path: /g}}, {name: d, globalName: d, valueFrom: {path: /d, default: none}}]}
  - name: missing
    container: {image: x, args: ["exit 0"]}
    outputs: {parameters: [{name: m, valueFrom: {path: /m}}]}
  - name: after
    container: {image: x, args: ["echo {{workflow.outputs.parameters.d}}"]}
`,
    phase: 'Failed',
    message: "child 'wf-2229110751' failed",
    outputs: {
      parameters: [
        { name: 'g', value: 'text' },
        { name: 'd', value: 'none' },
      ],
    },
    tree: `
wf | Steps | Failed | child 'wf-2229110751' failed
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Succeeded
wf[1] | StepGroup | Succeeded
wf[1].b | Pod | Succeeded
wf[2] | StepGroup | Failed | child 'wf-2229110751' failed
wf[2].c | Pod | Error | wait: Error (exit code 64): open /m: no such file or directory
wf.onExit | Pod | Succeeded`,
    check: ({ starts }) => {
      if (firstText(starts) !== 'echo none') throw new Error(firstText(starts));
    },
  },
  {
    why: 'artifacts are passed on by reference; optional ones may be missing',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: make}
      - {name: B, depends: A, template: use, arguments: {artifacts: [{name: in, from: "{{tasks.A.outputs.artifacts.x}}"}, {name: opt, from: "{{tasks.A.outputs.artifacts.none}}", optional: true}]}}
      - {name: C, depends: A, template: use, arguments: {artifacts: [{name: in, fromExpression: "tasks.A.outputs.artifacts.x"}]}}
      - {name: D, depends: B && C, template: use, arguments: {artifacts: [{name: in, from: "{{tasks.A.outputs.artifacts.none}}"}]}}
    outputs: {artifacts: [{name: o, globalName: final, from: "{{tasks.A.outputs.artifacts.x}}"}]}
  - name: make
    container: {image: x, args: ["write /x bytes"]}
    outputs: {artifacts: [{name: x, path: /x}, {name: none, path: /none, optional: true}]}
  - name: use
    inputs: {artifacts: [{name: in, path: /in}, {name: opt, path: /opt, optional: true}]}
    container: {image: x, args: ["echo {{inputs.artifacts.in.path}}"]}
`,
    phase: 'Error',
    tree: `
wf | DAG | Error
wf.A | Pod | Succeeded
wf.B | Pod | Succeeded
wf.C | Pod | Succeeded
wf.D | Skipped | Error | Unable to resolve: "tasks.A.outputs.artifacts.none"`,
    check: ({ starts }) => {
      const inputs = starts[1]?.template.inputs?.artifacts?.[0];
      if (JSON.stringify(inputs?.s3) !== '{"key":"wf.A/x"}' || inputs?.path !== '/in')
        throw new Error(JSON.stringify(inputs));
      if (firstText(starts) !== 'echo /in') throw new Error(firstText(starts));
    },
  },
  {
    why: 'a mutex lets one node after the other run',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: locked, withItems: [1, 2, 3]}]]
  - name: locked
    synchronization: {mutexes: [{name: m}]}
    container: {image: x, args: ["echo x"]}
`,
    phase: 'Succeeded',
    check: ({ maxRunning, starts }) => {
      if (maxRunning !== 1 || starts.length !== 3) throw new Error(`${maxRunning} of ${starts.length}`);
    },
  },
  {
    why: 'a stopped workflow does not wait for a lock, and a semaphore that does not exist is an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: holds}, {name: B, template: waits}, {name: C, template: none}]}
  - name: holds
    synchronization: {semaphores: [{configMapKeyRef: {name: c, key: one}}]}
    container: {image: x, args: ["hang"]}
  - name: waits
    synchronization: {semaphores: [{configMapKeyRef: {name: c, key: one}}]}
    container: {image: x, args: ["echo x"]}
  - name: none
    synchronization: {semaphores: [{configMapKeyRef: {name: c, key: none}}]}
    container: {image: x, args: ["echo x"]}
`,
    options: { commands: { 9: { name: 'stop' } } },
    phase: 'Failed',
    message: "Stopped with strategy 'Stop'",
  },
  {
    why: 'outputs are taken from the cache',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: cached}
    - - {name: b, template: cached}
  - name: cached
    memoize: {key: "k-{{workflow.name}}", maxAge: 10m, cache: {configMap: {name: c}}}
    container: {image: x, args: ["write /o once"]}
    outputs: {parameters: [{name: o, globalName: o, valueFrom: {path: /o}}]}
`,
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'o', value: 'once' }] },
    check: ({ nodes, starts }) => {
      const hit = nodes.find(({ name }) => name === 'wf[1].b');
      if (hit?.memoizationStatus?.hit !== true || hit.type !== 'Pod' || starts.length !== 1)
        throw new Error(JSON.stringify(hit));
    },
  },
  {
    why: 'http: status codes, conditions, and the body as result',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: get, arguments: {parameters: [{name: u, value: ok}]}}
      - {name: B, depends: A, template: say, arguments: {parameters: [{name: text, value: "{{tasks.A.outputs.result}}"}]}}
      - {name: C, template: get, arguments: {parameters: [{name: u, value: bad}]}}
      - {name: D, template: teapot}
  - name: get
    inputs: {parameters: [{name: u}]}
    http: {url: "{{inputs.parameters.u}}"}
  - name: teapot
    http: {url: bad, successCondition: "response.statusCode == 418 && response.body contains 'tea'"}
`,
    options: {
      respond: url =>
        url === 'ok' ? { statusCode: 200, body: 'fine', headers: {} } : { statusCode: 418, body: 'tea', headers: {} },
    },
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | HTTP | Succeeded
wf.C | HTTP | Failed | received non-2xx response code: 418
wf.D | HTTP | Succeeded
wf.B | Pod | Succeeded`,
  },
  {
    why: 'a daemon is ready for those that follow, and is stopped at the end of its template',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: d, template: server}
    - - {name: c, template: say, arguments: {parameters: [{name: text, value: "{{steps.d.ip}}"}]}}
  - name: server
    daemon: true
    container: {image: x, args: ["hang"]}
`,
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].d | Pod | Succeeded
wf[1] | StepGroup | Succeeded
wf[1].c | Pod | Succeeded`,
    check: ({ starts, kills }) => {
      if (firstText(starts) !== 'echo 10.0.0.1' || kills.join() !== 'wf[0].d') throw new Error(kills.join());
    },
  },
  {
    why: 'a containerSet has a node for each container',
    spec: `
  entrypoint: main
  templates:
  - name: main
    containerSet:
      containers:
      - {name: a, image: x, args: ["exit 0"]}
      - {name: b, image: x, args: ["exit 0"], dependencies: [a]}
`,
    phase: 'Succeeded',
    tree: `
wf | Pod | Succeeded
wf.a | Container | Succeeded
wf.b | Container | Succeeded`,
  },
  {
    why: 'names whose ids collide are kept apart',
    spec: `
  entrypoint: custom-job
  templates:
  - name: custom-job
    steps: [[{name: custom-job, template: inner}]]
  - name: inner
    steps: [[{name: custom-job-main, template: say}]]
`,
    phase: 'Succeeded',
  },
  {
    why: 'a lock of the whole workflow is waited for before it runs',
    spec: `
  entrypoint: say
  synchronization: {mutexes: [{name: whole}]}
  templates:
`,
    options: { locks: new LockTable(() => 1) },
    phase: 'Succeeded',
    tree: 'wf | Pod | Succeeded',
  },
]);
