import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { validateWorkflow, type WorkflowDocument } from '@chandlery/workflow';
import { OrdersError } from '../errors.ts';
import { orderDocument, resultOutput, workflowNamespace } from '../model/documents/order-document.ts';
import { defaultProfile, type PlanInput } from '../model/documents/plan.ts';
import { verifyParameters } from '../model/parameters/verify-parameters.ts';
import { builtInModels, loadModels, ModelRegistry } from './index.ts';
import { nextflowModel } from './nextflow.ts';

const id = '00000000-0000-4000-8000-000000000001';
const models = new ModelRegistry(builtInModels);
const schema = (tail: string): string => `urn:ivcap:schema:${tail}`;
const repository = join(import.meta.dirname, '../../../..');

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof OrdersError, String(error));
    return `${error.restCode} ${error.facts.name ?? ''}`.trim();
  }
};

/** The finished document of an order. */
function documentOf(input: PlanInput, registry = models): WorkflowDocument {
  const plan = registry.providerOf(input.controller, 'order').plan(input);
  return orderDocument({
    plan,
    order: { id, tenant: 'acme', service: id },
    profile: defaultProfile,
    bind: () => ({
      env: [{ name: 'IVCAP_ORDER_ID', value: id }],
      volumes: [{ name: 'ivcap-in', emptyDir: {} }],
      volumeMounts: [{ name: 'ivcap-in', mountPath: '/data/in' }],
      sidecars: [],
      annotations: {},
      resultPath: '/result.ivcap.json',
    }),
  });
}

describe('the choice of a model', () => {
  const cases: readonly (readonly [schema: unknown, purpose: 'order' | 'job', outcome: string])[] = [
    [schema('service.basic.1'), 'order', 'accepted'],
    ['urn:ivcap:schema.service.basic.1', 'order', 'accepted'],
    [schema('service.batch.1'), 'job', 'accepted'],
    [schema('service.argo-wf.1'), 'order', 'accepted'],
    [schema('service.argo.1'), 'order', 'accepted'],
    [schema('service.rest.1'), 'order', 'controller-not-orderable service'],
    [schema('controller.service-proxy.1'), 'order', 'controller-not-orderable service'],
    [schema('service.service-proxy.1'), 'job', 'controller-not-orderable service'],
    ['urn:ivcap:schema.service.app-server.1', 'order', 'controller-not-orderable service'],
    [schema('service.app-server.1'), 'job', 'controller-not-orderable service'],
    [schema('service.basic.2'), 'order', 'controller-unknown service'],
    [schema('service.hello.1'), 'job', 'controller-unknown service'],
    [undefined, 'order', 'controller-unknown service'],
    [7, 'order', 'controller-unknown service'],
  ];
  for (const [$schema, purpose, outcome] of cases)
    test(`a ${purpose} of ${String($schema)}: ${outcome}`, () =>
      assert.equal(
        codeOf(() => models.providerOf({ $schema }, purpose)),
        outcome,
      ));

  test('names the schema in both errors', () => {
    for (const tail of ['service.app-server.1', 'service.none.1'])
      assert.throws(() => models.providerOf({ $schema: schema(tail) }, 'order'), { message: new RegExp(tail) });
  });
});

describe('the check of a controller', () => {
  const cases: readonly (readonly [tail: string, fields: object, outcome: string])[] = [
    ['service.basic.1', { image: 'a', command: ['x'] }, 'accepted'],
    ['service.basic.1', { command: ['x'] }, 'invalid controller.image'],
    ['service.basic.1', { image: 'a', cpu: { request: '2', limit: '1' } }, 'invalid controller.cpu.request'],
    ['service.basic.1', { image: 'a', memory: { limit: 'lots' } }, 'invalid controller.memory.limit'],
    ['service.basic.1', { image: 'a', cpu: { request: '500m', limit: '1' }, memory: {} }, 'accepted'],
    ['service.basic.1', { image: 'a', 'shared-memory': 'x' }, 'invalid controller.shared-memory'],
    ['service.basic.1', { image: 'a', 'gpu-number': -1 }, 'invalid controller.gpu-number'],
    ['service.batch.1', { image: 'a', command: 'python x.py' }, 'accepted'],
    [
      'service.batch.1',
      { image: 'a', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      'invalid controller.resources.requests.cpu',
    ],
    ['service.argo.1', {}, 'invalid controller.workflow'],
    ['service.argo.1', { workflow: { kind: 'CronWorkflow', spec: {} } }, 'invalid controller.workflow.kind'],
    [
      'service.argo-wf.1',
      { templates: [{ name: 'a', podSpecPatch: '{}' }] },
      'invalid controller.templates[0].podSpecPatch',
    ],
    ['service.argo-wf.1', { hostNetwork: true }, 'invalid controller.hostNetwork'],
    [
      'service.argo-wf.1',
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      'invalid controller.volumes[0].hostPath',
    ],
    [
      'service.argo-wf.1',
      { templates: [{ name: 'a', container: { securityContext: { privileged: true } } }] },
      'invalid controller.templates[0].container.securityContext.privileged',
    ],
    ['service.argo-wf.1', { serviceAccountName: 'admin', templates: [] }, 'accepted'],
    ['service.app-server.1', { host: 'a.example' }, 'invalid controller.artifact'],
    ['service.nextflow.1', { pipeline: { urn: 'x' } }, 'invalid controller.pipeline.urn'],
    ['service.unheard-of.1', { anything: true }, 'accepted'],
  ];
  for (const [tail, fields, outcome] of cases)
    test(`${tail} ${JSON.stringify(fields)}: ${outcome}`, () =>
      assert.equal(
        codeOf(() => models.verifyController({ $schema: schema(tail), ...fields })),
        outcome,
      ));
});

describe('the document of a basic service', () => {
  const document = documentOf({
    controller: {
      $schema: schema('service.basic.1'),
      image: 'alpine:3.7',
      command: ['echo'],
      cpu: { limit: '1' },
      'gpu-number': 2,
      'shared-memory': '1Gi',
    },
    definitions: [{ name: 'msg', type: 'string', description: 'd' }],
    values: [{ name: 'msg', value: '{{workflow.name}}' }],
  });
  const [template] = document.spec.templates ?? [];

  test('is one that Argo accepts', () => assert.deepEqual(validateWorkflow(document), []));

  test('has the name of the order, the namespace of the tenant, and no value as text', () => {
    assert.equal(document.metadata.name, `order-${id}`);
    assert.equal(document.metadata.namespace, 'orders-acme');
    assert.deepEqual(template?.container?.args, ['--msg', '{{workflow.parameters.msg}}']);
    assert.deepEqual(document.spec.arguments?.parameters, [{ name: 'msg', value: '{{workflow.name}}' }]);
  });

  test('has resources, shared memory, the data proxy and an output for the result', () => {
    assert.deepEqual(template?.container?.resources, { limits: { cpu: '1', 'nvidia.com/gpu': '2' } });
    assert.deepEqual(
      template?.container?.volumeMounts?.map(({ mountPath }) => mountPath),
      ['/dev/shm', '/data/in'],
    );
    assert.deepEqual(template?.container?.env, [{ name: 'IVCAP_ORDER_ID', value: id }]);
    assert.equal(template?.outputs?.parameters?.[0]?.name, resultOutput);
    assert.equal(document.spec['automountServiceAccountToken'], false);
  });
});

describe('the document of a workflow service', () => {
  /** The seed's example, word for word. */
  const seed = {
    $schema: schema('service.argo-wf.1'),
    entrypoint: 'main-workflow',
    templates: [
      {
        name: 'main-workflow',
        dag: {
          tasks: [
            { name: 'first-task', template: 'task1' },
            { name: 'second-task', dependencies: ['first-task'], template: 'task2' },
          ],
        },
      },
      {
        name: 'task1',
        inputs: { parameters: [{ name: 'message' }] },
        container: { image: 'alpine:3.7', command: ['sh', '-c'], args: ["echo '{{inputs.parameters.message}}'"] },
      },
      {
        name: 'task2',
        container: { image: 'alpine:3.7', command: ['sh', '-c'], args: ['echo Hello from task 2!'] },
      },
    ],
  };
  const definitions = [{ name: 'message', type: 'string', description: 'message to display' }];
  const values = [{ name: 'message', value: 'hi' }];

  test("wires the seed's own example, which Argo alone rejects", () => {
    const { $schema: _, ...spec } = seed;
    const plain = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'x' }, spec };
    assert.match(validateWorkflow(plain).join(), /message was not supplied/);
    const document = documentOf({ controller: seed, definitions, values });
    assert.deepEqual(validateWorkflow(document), []);
    assert.deepEqual(document.spec.templates?.[0]?.dag?.tasks?.[0]?.arguments?.parameters, [
      { name: 'message', value: '{{workflow.parameters.message}}' },
    ]);
  });

  test('wires nothing that is no parameter of the service', () => {
    const document = documentOf({ controller: seed, definitions: [], values: [] });
    assert.match(validateWorkflow(document).join(), /message was not supplied/);
  });

  test('lets the platform win over accounts, names, deadlines and labels of the author', () => {
    const workflow = {
      kind: 'Workflow',
      metadata: { name: 'mine', labels: { mine: 'a', 'orders.chandlery.io/order': 'other' } },
      spec: {
        ...seed,
        $schema: undefined,
        serviceAccountName: 'admin',
        executor: { serviceAccountName: 'admin' },
        activeDeadlineSeconds: 10,
        ttlStrategy: { secondsAfterCompletion: 0 },
        shutdown: 'Stop',
        templates: [...seed.templates, { name: 'x', suspend: {}, serviceAccountName: 'admin' }],
      },
    };
    const controller = { $schema: schema('service.argo.1'), workflow };
    const provider = models.providerOf(controller, 'order');
    const document = documentOf({ controller, definitions, values });
    assert.doesNotMatch(JSON.stringify(document), /admin/);
    assert.equal(document.metadata.name, `order-${id}`);
    assert.deepEqual(document.metadata.labels?.['mine'], 'a');
    assert.equal(document.metadata.labels?.['orders.chandlery.io/order'], id);
    assert.equal(document.spec.activeDeadlineSeconds, 10);
    assert.equal(document.spec.ttlStrategy?.secondsAfterCompletion, defaultProfile.ttlSeconds);
    assert.equal(document.spec.shutdown, undefined);
    assert.deepEqual(document.spec.templates?.at(-1)?.suspend, {});
    assert.match(
      provider.plan({ controller, definitions, values }).warnings.join('\n'),
      /serviceAccountName[\s\S]*first-task: message/,
    );
  });

  test('gives an order precedence over arguments of the author', () => {
    const controller = {
      ...seed,
      arguments: {
        parameters: [
          { name: 'message', value: 'old' },
          { name: 'b', value: '1' },
        ],
      },
    };
    const document = documentOf({ controller, definitions, values });
    assert.deepEqual(document.spec.arguments?.parameters, [
      { name: 'b', value: '1' },
      { name: 'message', value: 'hi' },
    ]);
  });
});

describe('the model of Nextflow', () => {
  const controller = { $schema: schema('service.nextflow.1'), pipeline: { urn: `urn:ivcap:artifact:${id}` } };
  test('is refused clearly on a machine without the command', () =>
    assert.throws(() => nextflowModel(() => false).provider?.plan({ controller, definitions: [], values: [] }), {
      message: /no command nextflow/,
    }));
  test('runs the command on a machine that has it', () => {
    const registry = new ModelRegistry([nextflowModel(() => true)]);
    assert.deepEqual(validateWorkflow(documentOf({ controller, definitions: [], values: [] }, registry)), []);
  });
});

describe('a model from outside of the repository', () => {
  test('is loaded by its path and makes documents', async () => {
    const path = 'examples/models/shell.ts';
    assert.ok(readFileSync(join(repository, path), 'utf8').split('\n').length < 100);
    const registry = new ModelRegistry([...builtInModels, ...(await loadModels([path], repository))]);
    const controller = { $schema: 'urn:example:schema:service.shell.1', script: 'echo "$name"' };
    registry.verifyController(controller);
    assert.equal(
      codeOf(() => registry.verifyController({ ...controller, script: 7 })),
      'invalid controller.script',
    );
    const definitions = [{ name: 'name', type: 'string', description: 'who' }];
    const verified = verifyParameters(definitions, [{ name: 'name', value: 'Ada' }], () => undefined);
    assert.ok(verified.problem === undefined);
    const document = documentOf({ controller, definitions, values: verified.values }, registry);
    assert.deepEqual(validateWorkflow(document), []);
  });

  test('is refused with its path when it is none', async () => {
    await assert.rejects(loadModels(['package.json'], repository), { message: /package\.json/ });
    await assert.rejects(loadModels(['tools/test.mjs'], repository), { code: 'InvalidModel' });
  });
});

test('namespaces of tenants fit into a label', () => {
  const long = 'a'.repeat(63);
  assert.equal(workflowNamespace(long).length, 63);
  assert.notEqual(workflowNamespace(long), workflowNamespace(`${'a'.repeat(62)}b`));
});
