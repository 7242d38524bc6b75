import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { crds, startTestKernel, type TestKernel, testCrd, testWrite } from '../test-kernel.ts';
import { createObject } from './create.ts';

describe('creating an object', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
    await plane.create(crds, testCrd('widgets'));
  });
  after(() => plane[Symbol.asyncDispose]());

  test('gives it what the server owns, whatever the client sent', async () => {
    const { object, revision } = await plane.create('configmaps', {
      metadata: {
        name: 'owned',
        uid: 'mine',
        generation: 7,
        creationTimestamp: '1999-01-01T00:00:00Z',
        deletionTimestamp: '1999-01-01T00:00:00Z',
      },
    });
    const { uid, generation, creationTimestamp, deletionTimestamp, resourceVersion } = object.metadata;
    assert.notEqual(uid, 'mine');
    assert.deepEqual(
      [generation, creationTimestamp, deletionTimestamp],
      [undefined, '2030-01-01T00:00:00Z', undefined],
    );
    assert.equal(resourceVersion, String(revision));
    assert.deepEqual(await plane.get('configmaps', 'owned'), object);
  });

  test('counts generations from one, for kinds that have any', async () => {
    const { object } = await plane.create('example.org/v1/widgets', { metadata: { name: 'counted', generation: 7 } });
    assert.equal(object.metadata.generation, 1);
  });

  test('drops status where that has an endpoint of its own', async () => {
    const { object } = await plane.create('example.org/v1/widgets', {
      metadata: { name: 's' },
      spec: {},
      status: { a: 1 },
    });
    assert.equal(object['status'], undefined);
  });

  test('makes names from generateName, and tries others while they are taken', async () => {
    const suffixes = ['aaaaa', 'aaaaa', 'aaaaa', 'bbbbb'];
    const deps = { ...plane.deps, ids: { ...plane.deps.ids, nameSuffix: () => suffixes.shift() ?? 'ccccc' } };
    const target = await plane.target('configmaps');
    const body = () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } });
    const names = [];
    for (const _ of [1, 2]) names.push((await createObject(deps, target, testWrite, body())).object.metadata.name);
    assert.deepEqual(names, ['gen-aaaaa', 'gen-bbbbb']);
  });

  const refusals: readonly {
    why: string;
    resource?: string;
    body: object;
    namespace?: string;
    code: string;
    says: RegExp;
  }[] = [
    { why: 'no name', body: { metadata: {} }, code: 'Invalid', says: /name or generateName is required/ },
    { why: 'a bad name', body: { metadata: { name: 'A_b' } }, code: 'Invalid', says: /metadata\.name/ },
    {
      why: 'a resourceVersion',
      body: { metadata: { name: 'a', resourceVersion: '1' } },
      code: 'BadRequest',
      says: /should not be set/,
    },
    {
      why: 'another namespace',
      body: { metadata: { name: 'a', namespace: 'x' } },
      code: 'BadRequest',
      says: /does not match the namespace/,
    },
    {
      why: 'a missing namespace',
      body: { metadata: { name: 'a' } },
      namespace: 'nowhere',
      code: 'NotFound',
      says: /namespaces "nowhere" not found/,
    },
    { why: 'another kind', body: { kind: 'Secret', metadata: { name: 'a' } }, code: 'BadRequest', says: /Kind=Secret/ },
    { why: 'a wrong type', body: { metadata: { name: 'a' }, data: 'x' }, code: 'Invalid', says: /data/ },
    {
      why: 'a name that is taken',
      resource: 'namespaces',
      body: { metadata: { name: 'default' } },
      code: 'AlreadyExists',
      says: /namespaces "default" already exists/,
    },
  ];
  for (const { why, resource = 'configmaps', body, namespace, code, says } of refusals) {
    test(`is rejected for ${why}`, async () => {
      const place = namespace === undefined ? {} : { namespace };
      await assert.rejects(
        plane.create(resource, body, place),
        error => isError(error, code) && says.test(error.message),
      );
    });
  }

  test('treats unknown fields as fieldValidation asks', async () => {
    const body = (name: string) => ({ metadata: { name }, dato: { a: 'b' } });
    const warnings: string[] = [];
    const warn = (warning: string): void => void warnings.push(warning);
    const warned = await plane.create('configmaps', body('warned'), { write: { warn } });
    assert.equal(warned.object['dato'], undefined);
    assert.deepEqual(warnings, ['unknown field "dato"']);
    await plane.create('configmaps', body('ignored'), { write: { warn, fieldValidation: 'Ignore' } });
    assert.equal(warnings.length, 1);
    await assert.rejects(
      plane.create('configmaps', body('strict'), { write: { fieldValidation: 'Strict' } }),
      error => isError(error, 'BadRequest') && error.message === 'strict decoding error: unknown field "dato"',
    );
  });

  test('leaves nothing when it is only tried', async () => {
    const revision = await plane.store.currentRevision();
    const tried = { metadata: { name: 'dry' } };
    const { object, bytes } = await plane.create('namespaces', tried, { write: { dryRun: true } });
    assert.deepEqual((object as { status?: object }).status, { phase: 'Active' });
    assert.equal(object.metadata.resourceVersion, undefined);
    assert.deepEqual(JSON.parse(bytes.toString()), object);
    assert.equal(await plane.find('namespaces', 'dry'), undefined);
    assert.deepEqual(await plane.list('serviceaccounts', {}, { namespace: 'dry' }), []);
    assert.equal(await plane.store.currentRevision(), revision);
    await assert.rejects(
      plane.create('namespaces', { metadata: { name: 'default' } }, { write: { dryRun: true } }),
      error => isError(error, 'AlreadyExists'),
    );
  });

  test('is rejected in a namespace that is being deleted', async () => {
    await plane.create('namespaces', { metadata: { name: 'going' } });
    await plane.create(
      'configmaps',
      { metadata: { name: 'held', finalizers: ['example.org/hold'] } },
      { namespace: 'going' },
    );
    await plane.delete('namespaces', 'going');
    await assert.rejects(
      plane.create('configmaps', { metadata: { name: 'late' } }, { namespace: 'going' }),
      error =>
        isError(error, 'Forbidden') &&
        error.details.causes?.[0]?.reason === 'NamespaceTerminating' &&
        error.message.includes('because it is being terminated'),
    );
  });

  test('is rejected while the definition of its kind is being deleted', async () => {
    await plane.create(crds, testCrd('leavers'));
    await plane.create('example.org/v1/leavers', {
      metadata: { name: 'held', finalizers: ['example.org/hold'] },
      spec: {},
    });
    await plane.delete(crds, 'leavers.example.org');
    await assert.rejects(
      plane.create('example.org/v1/leavers', { metadata: { name: 'late' }, spec: {} }),
      error =>
        isError(error, 'MethodNotAllowed') &&
        error.message === 'create not allowed while custom resource definition is terminating',
    );
  });

  test('never strands an object when the definition of its kind goes at the same time', async () => {
    await plane.create(crds, testCrd('strays'));
    const target = await plane.target('example.org/v1/strays');
    const create = async (name: string): Promise<string> => {
      const body = { apiVersion: 'example.org/v1', kind: 'Stray', metadata: { name }, spec: {} };
      return createObject(plane.deps, target, testWrite, body).then(
        () => 'created',
        (error: { code: string }) => error.code,
      );
    };
    const creating = Array.from({ length: 40 }, (_, index) => create(`s-${index}`));
    await plane.delete(crds, 'strays.example.org');
    creating.push(...Array.from({ length: 40 }, (_, index) => create(`t-${index}`)));
    await plane.gone(crds, 'strays.example.org');
    creating.push(create('after'));
    const outcomes = new Set(await Promise.all(creating));
    assert.ok(
      [...outcomes].every(outcome => ['created', 'MethodNotAllowed', 'NotFound'].includes(outcome)),
      [...outcomes].join(),
    );
    assert.deepEqual(
      (await plane.store.collections()).filter(({ resource }) => resource.endsWith('/strays')),
      [],
    );
  });

  test('goes by the schema that holds when it is stored', async () => {
    await plane.create(crds, testCrd('movers'));
    const outdated = await plane.target('example.org/v1/movers');
    await plane.change(crds, 'movers.example.org', crd => {
      const spec = { type: 'object', properties: { size: { type: 'integer', default: 3 } } };
      const versions = [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ];
      crd['spec'] = { ...(crd['spec'] as object), versions };
    });
    const body = { apiVersion: 'example.org/v1', kind: 'Mover', metadata: { name: 'm' }, spec: { gone: true } };
    const { object } = await createObject(plane.deps, outdated, testWrite, body);
    assert.deepEqual(object['spec'], { size: 3 });
  });

  test('by many at once under one name succeeds for just one', async () => {
    const attempts = Array.from({ length: 20 }, () => plane.create('configmaps', { metadata: { name: 'contested' } }));
    const outcomes = await Promise.allSettled(attempts);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(isError(outcome.reason, 'AlreadyExists'));
  });

  test('of a namespace gives it a service account in the same commit', async () => {
    await plane.create('namespaces', { metadata: { name: 'born' } });
    const account = await plane.get('serviceaccounts', 'default', { namespace: 'born' });
    assert.equal(account.metadata.namespace, 'born');
    await eventually(() => plane.failures.length === 0);
  });
});
