import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { expectRefusal, type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import {
  boatDefinition,
  boatSchema,
  configMap,
  corePath,
  create,
  deployment,
  expectStatus,
  groupPath,
  pod,
  rbacPath,
  role,
  secret,
} from './support/objects.ts';

let hostile: HostileLandscape;

before(async () => {
  hostile = await startHostileLandscape();
  await create(hostile.admin, kinds.ConfigMap.path, configMap('target', { a: 'b' }));
  await create(hostile.admin, kinds.Deployment.path, deployment('target'));
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

const kinds = {
  ConfigMap: { path: `${corePath('shop', 'default')}/configmaps`, sample: configMap('x', { a: 'b' }) },
  Secret: { path: `${corePath('shop', 'default')}/secrets`, sample: secret('x', { a: 'b' }) },
  Pod: { path: `${corePath('shop', 'default')}/pods`, sample: pod('x') },
  Deployment: { path: `${groupPath('shop', 'apps/v1', 'default')}/deployments`, sample: deployment('x') },
  Role: {
    path: `${rbacPath('shop', 'default')}/roles`,
    sample: role('Role', 'x', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]),
  },
  RoleBinding: {
    path: `${rbacPath('shop', 'default')}/rolebindings`,
    sample: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'x' },
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [{ kind: 'User', name: 'u' }],
    },
  },
  Namespace: {
    path: `${corePath('shop')}/namespaces`,
    sample: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' }, spec: {} },
  },
  ServiceAccount: {
    path: `${corePath('shop', 'default')}/serviceaccounts`,
    sample: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'x' } },
  },
  Service: {
    path: `${corePath('shop', 'default')}/services`,
    sample: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'x' },
      spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
    },
  },
  Job: {
    path: `${groupPath('shop', 'batch/v1', 'default')}/jobs`,
    sample: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'x' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
    },
  },
  CronJob: {
    path: `${groupPath('shop', 'batch/v1', 'default')}/cronjobs`,
    sample: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'x' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
        },
      },
    },
  },
  StatefulSet: {
    path: `${groupPath('shop', 'apps/v1', 'default')}/statefulsets`,
    sample: { ...deployment('x'), kind: 'StatefulSet' },
  },
  CustomResourceDefinition: {
    path: groupPath('shop', 'apiextensions.k8s.io/v1/customresourcedefinitions'),
    sample: boatDefinition({
      schema: boatSchema({
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string', pattern: 'x', default: 'x' } },
      }),
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
      subresources: { status: {}, scale: { specReplicasPath: '.spec.r', statusReplicasPath: '.status.r' } },
    }),
  },
} as const;

/** Values that are wrong nearly everywhere. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    'x',
    '\u0000',
    'ä',
    '__proto__',
    'constructor',
    'a/b',
    '..',
  ),
  fc.constantFrom<unknown[]>(
    [],
    {},
    [null],
    [[]],
    [{}],
    { '': null },
    { a: { b: { c: [] } } },
    JSON.parse('{"__proto__":{"a":1}}'),
  ),
  fc.constantFrom<unknown[]>(
    'x'.repeat(300),
    '9999-99-99T99:99:99Z',
    '2020-01-01T00:00:00Z',
    '1e3',
    '-5',
    '100%',
    '*/0 * * * *',
    '[',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

type Path = readonly (string | number)[];

/** The places of all values in a sample. */
function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))];
}

function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return replacement;
  const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  (copy as Record<string | number, unknown>)[first] = replaceAt(
    (copy as Record<string | number, unknown>)[first],
    rest,
    replacement,
  );
  return copy;
}

const metadataFields = [
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'labels'],
  ...[
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'annotations',
    'ownerReferences',
    'finalizers',
    'managedFields',
  ],
  ...['selfLink', 'clusterName'],
];

const clientCodes = [200, 201, 400, 403, 404, 405, 409, 413, 415, 422];
const runs = { numRuns: 40 };

for (const [kind, { path, sample }] of Object.entries(kinds)) {
  test(`a ${kind} with any value in any place is created or rejected, never a failure of ours`, async () => {
    const places = [...placesOf(sample), ...metadataFields.map(field => ['metadata', field])];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), oddValue, async (place, value) => {
        const body = JSON.stringify(replaceAt(sample, place, value)) ?? 'null';
        const answer = await hostile.admin.send(`${path}?dryRun=All`, { body });
        expectRefusal(answer, clientCodes, `${body} `);
      }),
      runs,
    );
  });
}

const patchTypes = ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];

for (const kind of ['ConfigMap', 'Deployment'] as const) {
  for (const type of patchTypes) {
    test(`a ${type} of a ${kind} with any value in any place is done or rejected`, async () => {
      const { path, sample } = kinds[kind];
      const named = { ...sample, metadata: { name: 'target' } };
      const places = [...placesOf(named), ...metadataFields.map(field => ['metadata', field])];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), oddValue, async (place, value) => {
          const body = JSON.stringify(replaceAt(named, place, value)) ?? 'null';
          const headers = { 'content-type': `application/${type}` };
          const query = type.startsWith('apply') ? '&fieldManager=fuzz&force=true' : '';
          const answer = await hostile.admin.send(`${path}/target?dryRun=All${query}`, {
            method: 'PATCH',
            body,
            headers,
          });
          expectRefusal(answer, clientCodes, `${body} `);
        }),
        runs,
      );
    });
  }
}

test('managedFields of any shape are taken or rejected', async () => {
  const fieldsV1 = fc.oneof(
    oddValue,
    fc.dictionary(fc.constantFrom('f:data', 'f:a', '.', 'k:{"a":1}', 'k:{', 'v:1', 'i:0', 'x', '__proto__'), oddValue),
  );
  const entry = fc.record(
    {
      manager: oddValue,
      operation: fc.oneof(fc.constantFrom('Apply', 'Update'), oddValue),
      apiVersion: fc.oneof(fc.constant('v1'), oddValue),
      time: oddValue,
      fieldsType: fc.oneof(fc.constant('FieldsV1'), oddValue),
      fieldsV1,
      subresource: oddValue,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 3 }), async managedFields => {
      const body = { ...configMap('target'), metadata: { name: 'target', managedFields } };
      const answer = await hostile.admin.send(`${kinds.ConfigMap.path}/target?dryRun=All`, { method: 'PUT', body });
      expectRefusal(answer, clientCodes, JSON.stringify(managedFields));
    }),
    { numRuns: 150 },
  );
});

test('JSON patches of any shape are done or rejected', async () => {
  const pointer = fc.constantFrom(
    '',
    '/',
    '/data',
    '/data/a',
    '/data/-',
    '/metadata/labels',
    '/metadata',
    '/kind',
    '/data/~2',
    '/__proto__/x',
    '/metadata/finalizers/0',
  );
  const operation = fc.record(
    {
      op: fc.oneof(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), oddValue),
      path: fc.oneof(pointer, oddValue),
      from: fc.oneof(pointer, oddValue),
      value: oddValue,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(operation, { maxLength: 4 }), oddValue), async patch => {
      const headers = { 'content-type': 'application/json-patch+json' };
      const answer = await hostile.admin.send(`${kinds.ConfigMap.path}/target?dryRun=All`, {
        method: 'PATCH',
        body: JSON.stringify(patch),
        headers,
      });
      expectRefusal(answer, clientCodes, JSON.stringify(patch));
    }),
    { numRuns: 200 },
  );
});

test('protobuf of any bytes is rejected or understood', async () => {
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .uint8Array({ maxLength: 60 })
      .map(tail => Buffer.concat([Buffer.from('\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12'), tail])),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async body => {
      const whole = Buffer.concat([Buffer.from('k8s\0'), body]);
      const answer = await hostile.admin.send(`${kinds.ConfigMap.path}?dryRun=All`, { body: whole, headers });
      expectRefusal(answer, clientCodes, whole.toString('hex'));
    }),
    { numRuns: 200 },
  );
});

test('an access review whose attributes are null is rejected like one without', async () => {
  const path = groupPath('shop', 'authorization.k8s.io/v1/selfsubjectaccessreviews');
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: null, nonResourceAttributes: null },
  };
  expectStatus(await hostile.admin.send(path, { body }), 422);
});

test('reviews, options and sub-resources of any shape are answered or rejected', async () => {
  const core = corePath('shop', 'default');
  const targets: readonly (readonly [string, string, string, string])[] = [
    [
      'POST',
      groupPath('shop', 'authorization.k8s.io/v1/selfsubjectaccessreviews'),
      'authorization.k8s.io/v1',
      'SelfSubjectAccessReview',
    ],
    [
      'POST',
      groupPath('shop', 'authorization.k8s.io/v1/subjectaccessreviews'),
      'authorization.k8s.io/v1',
      'SubjectAccessReview',
    ],
    [
      'POST',
      groupPath('shop', 'authorization.k8s.io/v1/selfsubjectrulesreviews'),
      'authorization.k8s.io/v1',
      'SelfSubjectRulesReview',
    ],
    [
      'POST',
      `${groupPath('shop', 'authorization.k8s.io/v1', 'default')}/localsubjectaccessreviews`,
      'authorization.k8s.io/v1',
      'LocalSubjectAccessReview',
    ],
    ['POST', groupPath('shop', 'authentication.k8s.io/v1/tokenreviews'), 'authentication.k8s.io/v1', 'TokenReview'],
    ['POST', `${core}/serviceaccounts/default/token`, 'authentication.k8s.io/v1', 'TokenRequest'],
    ['PUT', `${kinds.Deployment.path}/target/scale?dryRun=All`, 'autoscaling/v1', 'Scale'],
    ['DELETE', `${kinds.ConfigMap.path}/target?dryRun=All`, 'v1', 'DeleteOptions'],
    ['POST', `${core}/pods/none/eviction`, 'policy/v1', 'Eviction'],
    ['POST', `${core}/pods/none/binding`, 'v1', 'Binding'],
  ];
  const keys = [
    'resourceAttributes',
    'nonResourceAttributes',
    'user',
    'groups',
    'token',
    'audiences',
    'expirationSeconds',
    'boundObjectRef',
    'namespace',
    'replicas',
  ];
  const spec = fc.oneof(oddValue, fc.dictionary(fc.constantFrom(...keys), oddValue));
  const options = fc.dictionary(
    fc.constantFrom('preconditions', 'dryRun', 'propagationPolicy', 'gracePeriodSeconds', 'orphanDependents'),
    oddValue,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...targets),
      spec,
      options,
      async ([method, path, apiVersion, kind], content, more) => {
        const body = JSON.stringify({ apiVersion, kind, metadata: {}, spec: content, ...more });
        const answer = await hostile.admin.send(path, { method, body });
        if (kind === 'DeleteOptions' && answer.status === 200) return;
        expectRefusal(answer, [...clientCodes, 401], `${method} ${path} ${body}`);
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(targets.length > 0);
});
