import { parseWorkflow } from '../document/parse-workflow.ts';
import { runCases } from './test-cases.ts';

const cluster = parseWorkflow(`
kind: ClusterWorkflowTemplate
metadata: {name: shared}
spec:
  entrypoint: outer
  arguments: {parameters: [{name: greeting, value: from-cluster}, {name: other, value: kept}]}
  templates:
  - name: outer
    steps: [[{name: s, template: inner}]]
  - name: inner
    container: {image: x, args: ["echo {{workflow.parameters.greeting}} {{workflow.parameters.other}}"]}
`);
const storedTemplates = {
  find: (name: string, isCluster: boolean) => (name === 'shared' && isCluster ? cluster : undefined),
};
const textsOf = (starts: readonly { template: { container?: { args?: string[] } } }[]): string =>
  starts.map(({ template }) => template.container?.args?.[0]).join('; ');

function expect(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(`${actual} instead of ${expected}`);
}

const leaf = (fields: string, what: string): string => `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: leaf, continueOn: {failed: true}}], [{name: b, template: say}]]
  - name: leaf
    ${fields}
    container: {image: x, args: ["${what}"]}
`;

runCases([
  {
    why: 'a pod that does not start within pendingTimeout fails, and its steps with it',
    spec: leaf('pendingTimeout: 5s', 'pend'),
    phase: 'Failed',
    message: 'timeout',
    tree: `
wf | Steps | Failed | timeout
wf[0] | StepGroup | Failed | timeout
wf[0].a | Pod | Failed | timeout`,
    check: ({ kills, status }) => {
      expect(kills.join(), 'wf[0].a');
      expect(String(Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '')), '5000');
    },
  },
  {
    why: 'pendingTimeout does not limit a pod that has started',
    spec: leaf('pendingTimeout: 5s\n    activeDeadlineSeconds: 60', 'hang'),
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].a | Pod | Failed | Pod was active on the node longer than the specified deadline
wf[1] | StepGroup | Succeeded
wf[1].b | Pod | Succeeded`,
  },
  {
    why: 'a root pod that does not start in time is an error of the entrypoint',
    spec: `
  entrypoint: main
  templates:
  - {name: main, pendingTimeout: 5s, container: {image: x, args: ["pend"]}}
`,
    phase: 'Error',
    message: 'error in entry template execution: timeout',
    tree: 'wf | Pod | Failed | timeout',
  },
  {
    why: 'pendingTimeout limits how long a lock is waited for',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: locked}, {name: B, template: locked}]}
  - name: locked
    pendingTimeout: 1s
    activeDeadlineSeconds: 2
    synchronization: {mutexes: [{name: m}]}
    container: {image: x, args: ["hang"]}
`,
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | Pod | Failed | Pod was active on the node longer than the specified deadline
wf.B | Pod | Failed | timeout`,
  },
  {
    why: 'OnTransientError retries what passes, and nothing else',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: A, template: net}, {name: B, template: quota}]}
  - name: net
    retryStrategy: {limit: 3, retryPolicy: OnTransientError}
    container: {image: x, args: ["{{=asInt(retries) < 2 ? 'lost dial tcp: i/o timeout' : 'exit 0'}}"]}
  - name: quota
    retryStrategy: {limit: 3, retryPolicy: OnTransientError}
    container: {image: x, args: ["exit 1"]}
`,
    phase: 'Failed',
    tree: `
wf | DAG | Failed
wf.A | Retry | Succeeded
wf.A(0) | Pod | Error | dial tcp: i/o timeout
wf.B | Retry | Failed | main: Error (exit code 1)
wf.B(0) | Pod | Failed | main: Error (exit code 1)
wf.A(1) | Pod | Error | dial tcp: i/o timeout
wf.A(2) | Pod | Succeeded`,
  },
  {
    why: 'the duration of an attempt is a whole number of seconds',
    spec: `
  entrypoint: main
  templates:
  - name: main
    retryStrategy: {limit: 1, expression: asInt(lastRetry.duration) < 5}
    container: {image: x, args: ["exit {{=asInt(retries) == 0 ? 1 : 0}}"]}
`,
    phase: 'Succeeded',
  },
  {
    why: 'values of ConfigMaps: for the workflow, for inputs, with names from tags, and defaults',
    spec: `
  entrypoint: main
  arguments:
    parameters:
    - {name: map, value: settings}
    - {name: a, valueFrom: {configMapKeyRef: {name: settings, key: a}}}
    - {name: c, valueFrom: {configMapKeyRef: {name: settings, key: none}, default: c-default}}
  templates:
  - name: main
    inputs:
      parameters:
      - {name: b, valueFrom: {configMapKeyRef: {name: "{{workflow.parameters.map}}", key: b}}}
      - {name: d, valueFrom: {configMapKeyRef: {name: none, key: d}, default: d-default}}
    container: {image: x, args: ["echo {{workflow.parameters.a}} {{inputs.parameters.b}} {{workflow.parameters.c}} {{inputs.parameters.d}}"]}
`,
    options: {
      readConfigMap: (name, key) => (name === 'settings' ? { a: 'A', b: 'B' }[key] : undefined),
    },
    phase: 'Succeeded',
    check: ({ starts }) => expect(textsOf(starts), 'echo A B c-default d-default'),
  },
  {
    why: 'a ConfigMap that does not exist: an input that needs it is an error',
    spec: `
  entrypoint: main
  templates:
  - name: main
    inputs: {parameters: [{name: b, valueFrom: {configMapKeyRef: {name: none, key: b}}}]}
    container: {image: x, args: ["echo {{inputs.parameters.b}}"]}
`,
    phase: 'Error',
    message:
      "error in entry template execution: unable to retrieve inputs.parameters.b from ConfigMap: ConfigMap 'none' does not exist. Please make sure it has the label workflows.argoproj.io/configmap-type: Parameter to be detectable by the controller",
  },
  {
    why: 'a ConfigMap that does not exist: a workflow that needs it fails before it begins',
    spec: `
  entrypoint: say
  arguments: {parameters: [{name: a, valueFrom: {configMapKeyRef: {name: none, key: k}}}]}
  templates:
`,
    phase: 'Failed',
    message:
      "failed to set global parameters: failed to set global parameter a from configmap with name none and key k: ConfigMap 'none' does not exist. Please make sure it has the label workflows.argoproj.io/configmap-type: Parameter to be detectable by the controller",
    tree: '',
  },
  {
    why: 'templates of the cluster, called by reference',
    spec: `
  entrypoint: main
  arguments: {parameters: [{name: greeting, value: mine}, {name: other, value: too}]}
  templates:
  - name: main
    steps: [[{name: c, templateRef: {name: shared, template: outer, clusterScope: true}}]]
`,
    options: { storedTemplates },
    phase: 'Succeeded',
    check: ({ nodes, starts }) => {
      expect(textsOf(starts), 'echo mine too');
      expect(nodes.at(-1)?.templateScope ?? '', 'cluster/shared');
    },
  },
  {
    why: 'a workflow that is a stored template with other arguments',
    spec: `
  workflowTemplateRef: {name: shared, clusterScope: true}
  arguments: {parameters: [{name: greeting, value: mine}]}
  templates:
`,
    options: { storedTemplates },
    phase: 'Succeeded',
    tree: `
wf | Steps | Succeeded
wf[0] | StepGroup | Succeeded
wf[0].s | Pod | Succeeded`,
    check: ({ starts }) => expect(textsOf(starts), 'echo mine kept'),
  },
  {
    why: 'a workflow whose stored template does not exist is an error',
    spec: `
  workflowTemplateRef: {name: shared}
  templates:
`,
    options: { storedTemplates },
    phase: 'Error',
    message: 'workflowtemplates.argoproj.io "shared" not found',
    tree: '',
  },
  {
    why: 'a containerSet fails with its first container that does',
    spec: `
  entrypoint: main
  templates:
  - name: main
    containerSet:
      containers:
      - {name: a, image: x, args: ["exit 0"]}
      - {name: b, image: x, args: ["exit 4"], dependencies: [a]}
      - {name: c, image: x, args: ["exit 0"], dependencies: [b]}
`,
    phase: 'Failed',
    message: 'b: Error (exit code 4)',
    tree: `
wf | Pod | Failed | b: Error (exit code 4)
wf.a | Container | Succeeded
wf.b | Container | Failed | b: Error (exit code 4):${' '}
wf.c | Container | Error | c: Error (exit code 64): dependency "b" exited with non-zero code: 4`,
  },
  {
    why: 'a daemon that fails is retried before those that follow begin',
    spec: `
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: server, template: server}
      - {name: client, depends: server, template: say, arguments: {parameters: [{name: text, value: "{{tasks.server.ip}}"}]}}
  - name: server
    daemon: true
    retryStrategy: {limit: 2}
    container: {image: x, args: ["{{=asInt(retries) == 0 ? 'pend' : 'hang'}}"]}
    pendingTimeout: 5s
`,
    phase: 'Succeeded',
    tree: `
wf | DAG | Succeeded
wf.server | Retry | Succeeded
wf.server(0) | Pod | Failed | timeout
wf.server(1) | Pod | Succeeded
wf.client | Pod | Succeeded`,
    check: ({ starts }) => expect(textsOf(starts), 'pend; hang; echo 10.0.0.1'),
  },
  {
    why: 'the command suspend: what runs ends, and nothing new begins until the workflow is resumed',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: say}], [{name: b, template: say}]]
`,
    options: { commands: { 1: { name: 'suspend' }, 9: { name: 'resume' } } },
    phase: 'Succeeded',
    check: ({ starts }) => expect(starts.map(({ node }) => node).join(), 'wf[0].a,wf[1].b'),
  },
  {
    why: 'the command suspend: a workflow that is not resumed stays as it is',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: say}], [{name: b, template: say}]]
`,
    options: { commands: { 1: { name: 'suspend' } } },
    phase: 'Running',
    check: ({ starts, status }) => {
      expect(starts.map(({ node }) => node).join(), 'wf[0].a');
      expect(String(status.suspended), 'true');
    },
  },
  {
    why: 'an output to be supplied takes the default of the input with its name when nobody sets it',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: ask, template: ask}]]
    outputs: {parameters: [{name: o, globalName: o, valueFrom: {parameter: "{{steps.ask.outputs.parameters.approve}}"}}]}
  - name: ask
    suspend: {duration: 1}
    inputs: {parameters: [{name: approve, default: "NO"}]}
    outputs: {parameters: [{name: approve, valueFrom: {supplied: {}}}]}
`,
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'o', value: 'NO' }] },
  },
  {
    why: 'nodes whose ids are the same are both executed, one within the other',
    spec: `
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: custom-job, template: inner}]]
  - name: inner
    steps: [[{name: custom-job-main, template: say}]]
`,
    options: { name: 'custom-job-thbh7' },
    phase: 'Succeeded',
    tree: `
custom-job-thbh7 | Steps | Succeeded
custom-job-thbh7[0] | StepGroup | Succeeded
custom-job-thbh7[0].custom-job | Steps | Succeeded
custom-job-thbh7[0].custom-job[0] | StepGroup | Succeeded
custom-job-thbh7[0].custom-job[0].custom-job-main | Pod | Succeeded`,
  },
]);
