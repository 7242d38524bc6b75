import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseWorkflow } from '../document/parse-workflow.ts';
import type { StoredTemplates } from '../document/workflow.ts';
import { type ValidateOptions, validateWorkflow } from './validate-workflow.ts';

const leaf = '{name: leaf, container: {image: alpine}}';
const needy =
  '{name: needy, inputs: {parameters: [{name: p}]}, container: {image: alpine, args: ["{{inputs.parameters.p}}"]}}';
const maker =
  '{name: maker, outputs: {parameters: [{name: o, valueFrom: {path: /o}}], artifacts: [{name: a, path: /a}]}, script: {image: alpine, source: x}}';

/** A document whose entrypoint is `main`. */
const workflow = (templates: readonly string[], spec = ''): string =>
  `{metadata: {name: wf}, spec: {entrypoint: main, templates: [${[...templates, leaf, needy, maker].join(', ')}]${spec && `, ${spec}`}}}`;
const main = (body: string): string => workflow([`{name: main, ${body}}`]);
const steps = (...groups: string[]): string => main(`steps: [${groups.map(group => `[${group}]`).join(', ')}]`);
const dag = (...tasks: string[]): string => main(`dag: {tasks: [${tasks.join(', ')}]}`);
const container = (more: string): string => main(`container: {image: alpine}, ${more}`);

interface Row {
  readonly rule: string;
  readonly valid: string;
  readonly invalid: string;
  readonly message: string;
}

const fieldNames =
  "name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric character (e.g. My-name1-2, 123-NAME)";

/** For each rule a document that keeps it, one that breaks it, and what Argo says. */
const rows: readonly Row[] = [
  {
    rule: 'length of the name',
    valid: `{metadata: {name: ${'a'.repeat(63)}}, spec: {entrypoint: leaf, templates: [${leaf}]}}`,
    invalid: `{metadata: {name: ${'a'.repeat(64)}}, spec: {entrypoint: leaf, templates: [${leaf}]}}`,
    message: `workflow name "${'a'.repeat(64)}" must not be more than 63 characters long (currently 64)`,
  },
  {
    rule: 'entrypoint',
    valid: `{spec: {entrypoint: leaf, templates: [${leaf}]}}`,
    invalid: `{spec: {templates: [${leaf}]}}`,
    message: 'spec.entrypoint is required',
  },
  {
    rule: 'known template',
    valid: steps('{name: a, template: leaf}'),
    invalid: steps('{name: a, template: nope}'),
    message: "templates.main.steps[0].a template name 'nope' undefined",
  },
  {
    rule: 'known entrypoint',
    valid: `{spec: {entrypoint: leaf, templates: [${leaf}]}}`,
    invalid: `{spec: {entrypoint: nope, templates: [${leaf}]}}`,
    message: "template name 'nope' undefined",
  },
  {
    rule: 'a kind',
    valid: main('suspend: {}'),
    invalid: main('inputs: {}'),
    message: "template 'main' type is unknown",
  },
  {
    rule: 'one kind',
    valid: main('container: {image: a}'),
    invalid: main('container: {image: a}, suspend: {}'),
    message:
      'templates.main multiple template types specified. choose one of: container, containerSet, steps, script, resource, dag, suspend, template, template ref',
  },
  {
    rule: 'names of templates',
    valid: workflow(['{name: main, suspend: {}}']),
    invalid: workflow(['{name: main, suspend: {}}', '{suspend: {}}']),
    message: 'spec.templates[1].name is required',
  },
  {
    rule: 'unique templates',
    valid: workflow(['{name: main, suspend: {}}']),
    invalid: workflow(['{name: main, suspend: {}}', '{name: main, suspend: {}}']),
    message: "spec.templates[1].name 'main' is not unique",
  },
  {
    rule: 'form of the names of templates',
    valid: workflow(['{name: main, suspend: {}}', '{name: 1-x, suspend: {}}']),
    invalid: workflow(['{name: main, suspend: {}}', '{name: a_b, suspend: {}}']),
    message: `spec.templates[1].name: 'a_b' is invalid: ${fieldNames}`,
  },
  {
    rule: 'length of the names of templates',
    valid: workflow(['{name: main, suspend: {}}', `{name: ${'x'.repeat(128)}, suspend: {}}`]),
    invalid: workflow(['{name: main, suspend: {}}', `{name: ${'x'.repeat(129)}, suspend: {}}`]),
    message: `spec.templates[1].name: '${'x'.repeat(129)}' is invalid: must be no more than 128 characters`,
  },
  {
    rule: 'names of steps',
    valid: steps('{name: a, template: leaf}, {name: b, template: leaf}'),
    invalid: steps('{name: a, template: leaf}', '{name: a, template: leaf}'),
    message: "templates.main.steps[1].name 'a' is not unique",
  },
  {
    rule: 'form of the names of steps',
    valid: steps('{name: a-1, template: leaf}'),
    invalid: steps('{name: a.b, template: leaf}'),
    message: `templates.main.steps[0].name 'a.b' is invalid: ${fieldNames}`,
  },
  {
    rule: 'names of parameters',
    valid: container('inputs: {parameters: [{name: a_B-1, value: x}]}'),
    invalid: container('inputs: {parameters: [{name: a.b, value: x}]}'),
    message:
      "templates.main.inputs.parameters[0].name: 'a.b' is invalid: Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. my_param_1, MY-PARAM-1",
  },
  {
    rule: 'inputs are supplied',
    valid: steps(
      '{name: a, template: needy, arguments: {parameters: [{name: p, value: 1}, {name: surplus, value: 2}]}}',
    ),
    invalid: steps('{name: a, template: needy}'),
    message: 'templates.main.steps[0].a templates.needy inputs.parameters.p was not supplied',
  },
  {
    rule: 'inputs of the entrypoint are supplied',
    valid: `{spec: {entrypoint: needy, arguments: {parameters: [{name: p, value: 1}]}, templates: [${needy}]}}`,
    invalid: `{spec: {entrypoint: needy, templates: [${needy}]}}`,
    message: 'templates.needy inputs.parameters.p was not supplied',
  },
  {
    rule: 'input artifacts are supplied',
    valid: workflow([
      '{name: main, inputs: {artifacts: [{name: a, path: /a, raw: {data: x}}]}, container: {image: a}}',
    ]),
    invalid: workflow(['{name: main, inputs: {artifacts: [{name: a, path: /a}]}, container: {image: a}}']),
    message: 'templates.main inputs.artifacts.a was not supplied',
  },
  {
    rule: 'workflow arguments have values',
    valid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, value: x}]}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p}]}'),
    message: 'spec.arguments.p.value or spec.arguments.p.valueFrom is required',
  },
  {
    rule: 'sources of arguments',
    valid: workflow(
      ['{name: main, suspend: {}}'],
      'arguments: {parameters: [{name: p, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}',
    ),
    invalid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, valueFrom: {path: /x}}]}'),
    message: 'spec.arguments.p.valueFrom only allows: default, configMapKeyRef and supplied',
  },
  {
    rule: 'enum is not empty',
    valid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, value: x, enum: [x]}]}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, value: x, enum: []}]}'),
    message: 'spec.arguments.p.enum should contain at least one value',
  },
  {
    rule: 'value is of the enum',
    valid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, value: 1, enum: [1, 2]}]}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p, value: 3, enum: [1, 2]}]}'),
    message: 'spec.arguments.p.value should be present in spec.arguments.p.enum list',
  },
  {
    rule: 'argument artifacts have a place',
    valid: workflow(['{name: main, suspend: {}}'], 'arguments: {artifacts: [{name: a, raw: {data: x}}]}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'arguments: {artifacts: [{name: a}]}'),
    message: 'spec.arguments.a.from, artifact location, or key is required',
  },
  {
    rule: 'one loop',
    valid: steps('{name: a, template: leaf, withItems: [1]}'),
    invalid: steps('{name: a, template: leaf, withItems: [1], withParam: "[]"}'),
    message: 'templates.main.steps[0].a only one of withItems, withParam, withSequence can be specified',
  },
  {
    rule: 'count or end',
    valid: dag('{name: a, template: leaf, withSequence: {count: 1}}'),
    invalid: dag('{name: a, template: leaf, withSequence: {count: 1, end: 2}}'),
    message: 'templates.main.tasks.a only one of count or end can be defined in withSequence',
  },
  {
    rule: 'tasks',
    valid: dag('{name: a, template: leaf}'),
    invalid: dag(),
    message: 'templates.main must have at least one task',
  },
  {
    rule: 'depends or dependencies',
    valid: dag('{name: a, template: leaf}', '{name: b, template: leaf, depends: a}'),
    invalid: dag(
      '{name: a, template: leaf}',
      '{name: b, template: leaf, depends: a}',
      '{name: c, template: leaf, dependencies: [a]}',
    ),
    message: "templates.main cannot use both 'depends' and 'dependencies' in the same DAG template",
  },
  {
    rule: 'continueOn and depends',
    valid: dag('{name: a, template: leaf, continueOn: {failed: true}}', '{name: b, template: leaf, dependencies: [a]}'),
    invalid: dag('{name: a, template: leaf, continueOn: {failed: true}}', '{name: b, template: leaf, depends: a}'),
    message:
      "templates.main cannot use 'continueOn' when using 'depends'. Instead use 'dep-task.Failed'/'dep-task.Errored'",
  },
  {
    rule: 'digits',
    valid: dag('{name: 1a, template: leaf}'),
    invalid: dag('{name: a, template: leaf}', '{name: 1b, template: leaf, dependencies: [a]}'),
    message: "templates.main.tasks.1b name cannot begin with a digit when using either 'depends' or 'dependencies'",
  },
  {
    rule: 'known dependencies',
    valid: dag('{name: a, template: leaf}', '{name: b, template: leaf, dependencies: [a]}'),
    invalid: dag('{name: b, template: leaf, dependencies: [a]}'),
    message: 'templates.main sorting failed: invalid dependency a',
  },
  {
    rule: 'no cycle',
    valid: dag('{name: b, template: leaf, dependencies: [a]}', '{name: a, template: leaf}'),
    invalid: dag('{name: b, template: leaf, dependencies: [a]}', '{name: a, template: leaf, dependencies: [b]}'),
    message: 'templates.main sorting failed: graph with cycle',
  },
  {
    rule: 'results of tasks',
    valid: dag('{name: a, template: leaf}', '{name: b, template: leaf, depends: a.Failed}'),
    invalid: dag('{name: a, template: leaf}', '{name: b, template: leaf, depends: a.Nope}'),
    message: "templates.main.tasks.b task result 'Nope' for task 'a' is invalid",
  },
  {
    rule: 'results of loops',
    valid: dag('{name: a, template: leaf, withItems: [1]}', '{name: b, template: leaf, depends: a.AnySucceeded}'),
    invalid: dag('{name: a, template: leaf}', '{name: b, template: leaf, depends: a.AnySucceeded}'),
    message:
      "templates.main.tasks.a dependency 'a' uses an items-based condition such as .AnySucceeded or .AllFailed but does not contain any items",
  },
  {
    rule: 'arguments come from ancestors',
    valid: dag(
      '{name: a, template: maker}',
      '{name: b, template: needy, dependencies: [a], arguments: {parameters: [{name: p, value: "{{tasks.a.outputs.result}}"}]}}',
    ),
    invalid: dag(
      '{name: a, template: maker}',
      '{name: b, template: needy, arguments: {parameters: [{name: p, value: "{{tasks.a.outputs.result}}"}]}}',
    ),
    message: "templates.main.tasks.b missing dependency 'a' for parameter 'p'",
  },
  {
    rule: 'targets',
    valid: main('dag: {target: a, tasks: [{name: a, template: leaf}]}'),
    invalid: main('dag: {target: a b, tasks: [{name: a, template: leaf}]}'),
    message: "templates.main.targets: target 'b' is not defined",
  },
  {
    rule: 'references of leaves',
    valid: main(
      'container: {image: a, args: ["{{workflow.name}} {{pod.name}} {{other.language}} {{=nope.x}} {{item}}"]}',
    ),
    invalid: main('container: {image: a, args: ["{{inputs.parameters.nope}}"]}'),
    message: 'templates.main: failed to resolve {{inputs.parameters.nope}}',
  },
  {
    rule: 'references of steps',
    valid: steps(
      '{name: a, template: maker}',
      '{name: b, template: needy, arguments: {parameters: [{name: p, value: "{{steps.a.outputs.parameters.o}}"}]}}',
    ),
    invalid: steps(
      '{name: b, template: needy, arguments: {parameters: [{name: p, value: "{{steps.a.outputs.parameters.o}}"}]}}',
      '{name: a, template: maker}',
    ),
    message: 'templates.main.steps failed to resolve {{steps.a.outputs.parameters.o}}',
  },
  {
    rule: 'a reference made of another',
    valid: steps(
      '{name: a, template: needy, withItems: [x], arguments: {parameters: [{name: p, value: "{{=workflow.parameters[item]}}"}]}}',
    ),
    invalid: steps(
      '{name: a, template: needy, withItems: [x], arguments: {parameters: [{name: p, value: "{{workflow.parameters.{{item}}}}"}]}}',
    ),
    message: 'templates.main.steps failed to resolve {{workflow.parameters.{{item}}',
  },
  {
    rule: 'keys of items',
    valid: steps(
      '{name: a, template: needy, withItems: [{k: 1}], arguments: {parameters: [{name: p, value: "{{item.k}}"}]}}',
    ),
    invalid: steps(
      '{name: a, template: needy, withItems: [{k: 1}], arguments: {parameters: [{name: p, value: "{{item.x}}"}]}}',
    ),
    message: 'templates.main.steps failed to resolve {{item.x}}',
  },
  {
    rule: 'image',
    valid: main('container: {image: a}'),
    invalid: main('container: {command: [a]}'),
    message: 'templates.main.container.image may not be empty',
  },
  {
    rule: 'image of a script',
    valid: workflow(['{name: main, script: {source: x}}'], 'templateDefaults: {script: {image: a}}'),
    invalid: main('script: {source: x}'),
    message: 'templates.main.script.image may not be empty',
  },
  {
    rule: 'outputs of containers',
    valid: container('outputs: {parameters: [{name: o, valueFrom: {path: /x}}]}'),
    invalid: container('outputs: {parameters: [{name: o, valueFrom: {expression: "1"}}]}'),
    message: 'templates.main.outputs.parameters.o.path must be specified for Container templates',
  },
  {
    rule: 'outputs of steps',
    valid: main(
      'steps: [[{name: a, template: maker}]], outputs: {parameters: [{name: o, valueFrom: {parameter: "{{steps.a.outputs.result}}"}}]}',
    ),
    invalid: main('steps: [[{name: a, template: maker}]], outputs: {parameters: [{name: o, valueFrom: {path: /x}}]}'),
    message: 'templates.main.outputs.parameters.o.parameter or expression must be specified for Steps templates',
  },
  {
    rule: 'one source of outputs',
    valid: main('suspend: {}, outputs: {parameters: [{name: o, valueFrom: {supplied: {}}}]}'),
    invalid: main('suspend: {}, outputs: {parameters: [{name: o}]}'),
    message: 'templates.main.outputs.parameters.o does not have valueFrom or value specified',
  },
  {
    rule: 'paths of artifacts',
    valid: container('outputs: {artifacts: [{name: a, path: /x}]}'),
    invalid: container('outputs: {artifacts: [{name: a}]}'),
    message: "error in templates.main.outputs.artifacts.a: Artifact 'a' did not specify a path",
  },
  {
    rule: 'timeout of leaves',
    valid: container('timeout: 10s'),
    invalid: main('steps: [[{name: a, template: leaf}]], timeout: 10s'),
    message: "Steps template doesn't support timeout field",
  },
  {
    rule: 'unit of the timeout',
    valid: container('timeout: 1m'),
    invalid: container('timeout: "10"'),
    message: 'main has invalid duration format in timeout',
  },
  {
    rule: 'deadline of leaves',
    valid: container('activeDeadlineSeconds: "{{workflow.name}}"'),
    invalid: main('dag: {tasks: [{name: a, template: leaf}]}, activeDeadlineSeconds: 1'),
    message: 'templates.main.activeDeadlineSeconds is only valid for leaf templates',
  },
  {
    rule: 'number of the deadline',
    valid: container('activeDeadlineSeconds: 5'),
    invalid: container('activeDeadlineSeconds: soon'),
    message: 'templates.main.activeDeadlineSeconds must be a positive integer > 0 or an argo variable',
  },
  {
    rule: 'parallelism',
    valid: main('steps: [[{name: a, template: leaf}]], parallelism: 1'),
    invalid: container('parallelism: 1'),
    message: 'templates.main.parallelism is only valid for steps and dag templates',
  },
  {
    rule: 'retry policy',
    valid: container('retryStrategy: {retryPolicy: Always}'),
    invalid: container('retryStrategy: {retryPolicy: Sometimes}'),
    message: 'Sometimes is not a valid RetryPolicy',
  },
  {
    rule: 'conditions of hooks',
    valid: steps('{name: a, template: leaf, hooks: {exit: {template: leaf}, h: {template: leaf, expression: "true"}}}'),
    invalid: steps('{name: a, template: leaf, hooks: {h: {template: leaf}}}'),
    message: 'templates.main.steps[0].a.h Expression required',
  },
  {
    rule: 'conditions of workflow hooks',
    valid: workflow(['{name: main, suspend: {}}'], 'hooks: {exit: {template: leaf}}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'hooks: {h: {template: leaf}}'),
    message: 'hooks.h Expression required',
  },
  {
    rule: 'exit handler',
    valid: workflow(
      [
        '{name: main, suspend: {}}',
        '{name: end, container: {image: a, args: ["{{workflow.failures}} {{workflow.status}}"]}}',
      ],
      'onExit: end',
    ),
    invalid: workflow(['{name: main, suspend: {}}'], 'onExit: nope'),
    message: "template name 'nope' undefined",
  },
  {
    rule: 'global outputs in the exit handler',
    valid: workflow(
      [
        '{name: main, steps: [[{name: a, template: glob}]]}',
        '{name: glob, outputs: {parameters: [{name: o, globalName: g, valueFrom: {path: /o}}]}, container: {image: a}}',
        '{name: end, container: {image: a, args: ["{{workflow.outputs.parameters.g}}"]}}',
      ],
      'onExit: end',
    ),
    invalid: workflow(
      [
        '{name: main, outputs: {parameters: [{name: o, globalName: g, valueFrom: {path: /o}}]}, container: {image: a}}',
        '{name: end, container: {image: a, args: ["{{workflow.outputs.parameters.g}}"]}}',
      ],
      'onExit: end',
    ),
    message: 'templates.end: failed to resolve {{workflow.outputs.parameters.g}}',
  },
  {
    rule: 'mount paths',
    valid: main('container: {image: a, volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /b}]}'),
    invalid: main('container: {image: a, volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /a}]}'),
    message: "templates.main.container.volumeMounts[1].mountPath '/a' already mounted in container.volumeMounts.v",
  },
  {
    rule: 'containers of a set',
    valid: main('containerSet: {containers: [{name: a, image: a}, {name: b, image: a, dependencies: [a]}]}'),
    invalid: main('containerSet: {containers: [{name: a, image: a, dependencies: [b]}]}'),
    message: "templates.main.containerSet.containers.a dependency 'b' not defined",
  },
  {
    rule: 'stored templates',
    valid: steps('{name: a, templateRef: {name: store, template: stored}}'),
    invalid: steps('{name: a, templateRef: {name: store, template: nope}}'),
    message: 'templates.main.steps[0].a template reference store.nope not found',
  },
  {
    rule: 'templates beside a reference to them',
    valid: '{spec: {workflowTemplateRef: {name: store}}}',
    invalid: `{spec: {workflowTemplateRef: {name: store}, templates: [${leaf}]}}`,
    message: 'Templates is invalid field in spec if workflow referred WorkflowTemplate reference',
  },
  {
    rule: 'names of metrics',
    valid: container('metrics: {prometheus: [{name: a_b, help: h, counter: {value: "1"}}]}'),
    invalid: container('metrics: {prometheus: [{name: a.b, help: h, counter: {value: "1"}}]}'),
    message: "templates.main metric name 'a.b' is invalid. Metric names must contain alphanumeric characters or '_'",
  },
  {
    rule: 'labels of metrics',
    valid: container('metrics: {prometheus: [{name: a, help: h, labels: [{key: k, value: v}]}]}'),
    invalid: container('metrics: {prometheus: [{name: a, help: h, labels: [{key: k.x, value: v}]}]}'),
    message: "metric label 'k.x' is invalid: keys may only contain alphanumeric characters or '_'",
  },
  {
    rule: 'help of metrics',
    valid: container('metrics: {prometheus: [{name: a, help: h}]}'),
    invalid: container('metrics: {prometheus: [{name: a}]}'),
    message: "templates.main metric 'a' must contain a help string under 'help: ' field",
  },
  {
    rule: 'values of metrics',
    valid: container('metrics: {prometheus: [{name: a, help: h, gauge: {value: "1"}}]}'),
    invalid: container('metrics: {prometheus: [{name: a, help: h, gauge: {}}]}'),
    message: "templates.main metric 'a' error: missing gauge.value",
  },
  {
    rule: 'resource templates',
    valid: main('suspend: {}'),
    invalid: main('resource: {action: get}'),
    message: 'templates.main: resource templates are not supported',
  },
  {
    rule: 'data templates, where nobody calls them',
    valid: main('suspend: {}'),
    invalid: workflow(['{name: main, suspend: {}}', '{name: other, data: {}}']),
    message: 'templates.other: data templates are not supported',
  },
  {
    rule: 'plugin templates, inline',
    valid: steps('{name: a, inline: {container: {image: a}}}'),
    invalid: steps('{name: a, inline: {plugin: {x: {}}}}'),
    message: 'templates.: plugin templates are not supported',
  },
  {
    rule: 'drivers of artifacts',
    valid: container('outputs: {artifacts: [{name: a, path: /a, raw: {data: x}}]}'),
    invalid: container('outputs: {artifacts: [{name: a, path: /a, gcs: {bucket: b}}]}'),
    message: 'templates.main.outputs.artifacts.a: artifact driver gcs is not configured',
  },
  {
    rule: 'an artifact with only a key is in the default repository',
    valid: container('outputs: {artifacts: [{name: a, path: /a, gcs: {key: k}}]}'),
    invalid: container('outputs: {artifacts: [{name: a, path: /a, azure: {container: c, blob: k}}]}'),
    message: 'templates.main.outputs.artifacts.a: artifact driver azure is not configured',
  },
  {
    rule: 'resources of pods are those of Kubernetes',
    valid: container('podResources: {limits: {cpu: 1, memory: 1Gi, hugepages-2Mi: 4Mi}}'),
    invalid: container('podResources: {requests: {gpu: 1}}'),
    message:
      'templates.main.podResources: "gpu" is not a valid pod-level resource, only cpu, memory and hugepages-* are supported',
  },
  {
    rule: 'resources of pods have no claims',
    valid: workflow(['{name: main, suspend: {}}'], 'podResources: {limits: {cpu: 1}}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'podResources: {claims: [{name: c}]}'),
    message: 'spec.podResources.claims is not supported for pod-level resources',
  },
  {
    rule: 'resources of pods are not for requests',
    valid: main('http: {url: "http://a"}'),
    invalid: main('http: {url: "http://a"}, podResources: {limits: {cpu: 1}}'),
    message: 'templates.main.podResources is not supported for HTTP templates',
  },
  {
    rule: 'claims are for templates with a pod',
    valid: container('resourceClaims: [{name: c, resourceClaimName: x}]'),
    invalid: main('suspend: {}, resourceClaims: [{name: c, resourceClaimName: x}]'),
    message: 'templates.main.resourceClaims is not supported for Suspend templates, which do not create a pod',
  },
  {
    rule: 'strategy of podGC',
    valid: workflow(['{name: main, suspend: {}}'], 'podGC: {strategy: OnPodSuccess}'),
    invalid: workflow(['{name: main, suspend: {}}'], 'podGC: {strategy: Never}'),
    message: "podGC.strategy unknown strategy 'Never'",
  },
];

const store = parseWorkflow(
  '{kind: WorkflowTemplate, metadata: {name: store}, spec: {entrypoint: stored, templates: [{name: stored, steps: [[{name: a, template: inner}]]}, {name: inner, suspend: {}}]}}',
);
const templates: StoredTemplates = {
  find: (name, clusterScope) => (name === 'store' && !clusterScope ? store : undefined),
};
const validate = (source: string, options: ValidateOptions = {}): readonly string[] =>
  validateWorkflow(parseWorkflow(source), { templates, ...options });

describe('each rule', () => {
  for (const { rule, valid, invalid, message } of rows) {
    test(`${rule}: kept`, () => assert.deepEqual(validate(valid), []));
    test(`${rule}: broken`, () => assert.deepEqual(validate(invalid), [message]));
  }
});

test('drivers that are configured are accepted', () => {
  const source = container('outputs: {artifacts: [{name: a, path: /a, s3: {bucket: b, key: k}}]}');
  assert.match(validate(source)[0] ?? '', /artifact driver s3 is not configured/);
  assert.deepEqual(validate(source, { artifactDrivers: ['s3'] }), []);
});

test('by HTTP artifacts are read, not written', () => {
  const artifact = '{artifacts: [{name: a, path: /a, http: {url: "http://a"}}]}';
  assert.deepEqual(validate(container(`inputs: ${artifact}`), { artifactDrivers: ['http'] }), []);
  assert.match(
    validate(container(`outputs: ${artifact}`), { artifactDrivers: ['http'] })[0] ?? '',
    /artifact driver http is not configured/,
  );
});

test('a stored template may lack an entrypoint and values, and use parameters of its callers', () => {
  const source = `{kind: WorkflowTemplate, metadata: {name: t}, spec: {arguments: {parameters: [{name: p}]}, templates: [{name: a, container: {image: a, args: ["{{workflow.parameters.other}}"]}}]}}`;
  assert.deepEqual(validate(source), []);
});

test('a workflow that is only looked at may lack values', () => {
  const source = workflow(['{name: main, suspend: {}}'], 'arguments: {parameters: [{name: p}]}');
  assert.deepEqual(validate(source, { isLint: true }), []);
});

test('templates may call themselves', () => {
  assert.deepEqual(validate(steps('{name: a, template: main, when: "false"}')), []);
});

test('a malformed condition on dependencies shows at run time only', () => {
  assert.deepEqual(validate(dag('{name: a, template: leaf}', '{name: b, template: leaf, depends: "a &&"}')), []);
});

test('a long chain of templates does not exhaust the stack', () => {
  const chain = Array.from(
    { length: 3000 },
    (_, index) => `{name: t${index}, steps: [[{name: a, template: t${index + 1}}]]}`,
  );
  const source = `{spec: {entrypoint: t0, templates: [${chain.join(', ')}, {name: t3000, suspend: {}}]}}`;
  assert.match(validate(source)[0] ?? '', /nested too deeply$/);
});
