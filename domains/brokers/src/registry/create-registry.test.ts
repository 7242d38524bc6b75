import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AtomicClient } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { SmError } from '../errors.ts';
import { brokerKinds, brokersFinalizer, globalTenant, meshRecordLabel } from '../kinds/index.ts';
import { lastOperationOf } from '../model/operations/last-operation.ts';
import { createRow, type Registry, removeRow, updateRow } from '../model/rows.ts';
import {
  seedBroker,
  seedInstance,
  seedOperation,
  seedPlatform,
  seedTenant,
  seedVisibility,
  startTestRegistry,
  type TestRegistry,
} from '../test-registry.ts';

let running: TestRegistry;
let registry: Registry;
let client: AtomicClient;
before(async () => {
  running = await startTestRegistry();
  ({ registry, client } = running);
  await seedTenant(client, 'acme');
});
after(() => running[Symbol.asyncDispose]());

describe('a commit', () => {
  test('is visible when it resolves, in every index', async () => {
    const id = registry.newId();
    const spec = { name: 'eu10', type: 'cloudfoundry', labels: { region: ['eu', 'west'] } };
    await registry.commit([createRow({ table: 'platforms', id, tenant: 'acme', spec, status: { ready: true } })]);
    const row = registry.platforms.get(id);
    assert.deepEqual(row?.spec, spec);
    assert.deepEqual([row?.status.ready, row?.hasFinalizer, row?.tenant], [true, true, 'acme']);
    assert.deepEqual([...registry.platforms.by('name', 'eu10')], [row]);
    assert.deepEqual([...registry.platforms.by('label', 'region=west')], [row]);
    assert.equal(registry.platforms.count('tenant', 'acme'), 1);
    assert.match(row?.createdAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.equal(row?.createdAt, row?.status.createdAt);
  });

  test('takes ids that are no object names', async () => {
    const row = await seedPlatform(registry, { id: 'a/b c~' });
    assert.equal(registry.platforms.get('a/b c~'), row);
    await registry.commit([removeRow('platforms', row)]);
    assert.equal(registry.platforms.get('a/b c~'), undefined);
  });
});

describe('a commit that fails', () => {
  test('because an id is taken, in whichever tenant', async () => {
    const { id } = await seedPlatform(registry);
    await assert.rejects(seedPlatform(registry, { id }), { code: 'AlreadyExists' });
    await assert.rejects(seedPlatform(registry, { id, tenant: 'acme' }), { code: 'UniqueViolation' });
  });

  test('because a name is taken names the key', async () => {
    await seedPlatform(registry, { spec: { name: 'taken' } });
    const again = seedPlatform(registry, { spec: { name: 'taken' } });
    await assert.rejects(again, { code: 'UniqueViolation', details: { kind: 'name', name: `${globalTenant}/taken` } });
    await seedPlatform(registry, { tenant: 'acme', spec: { name: 'taken' } });
  });
});

describe('Secrets', () => {
  const put = (name: string) => ({ type: 'put-secret', tenant: 'acme', name, data: { a: '1' } }) as const;
  const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'acme' };

  test('have the label of the service manager', async () => {
    await registry.commit([put('keys')]);
    const { metadata } = await client.get({ ...secrets, name: 'keys' });
    assert.deepEqual(metadata.labels, { 'brokers.chandlery.io/managed': 'true' });
  });

  test('of another owner are a conflict that clients must not retry', async () => {
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'theirs' } });
    const message = 'the Secret "theirs" of "acme" exists and was not made by the service manager';
    await assert.rejects(registry.commit([put('theirs')]), error => {
      assert.ok(error instanceof SmError);
      assert.deepEqual([error.code, error.status, error.message], ['Conflict', 409, message]);
      return error.facts.isRetryable === undefined;
    });
  });
});

test('which kinds are held by the finalizer', async () => {
  const { broker, offerings, plans } = await seedBroker(registry);
  const instance = await seedInstance(registry);
  const rows = [broker, instance, ...offerings, ...plans];
  assert.deepEqual(
    rows.map(({ hasFinalizer }) => hasFinalizer),
    [true, true, false, false, false],
  );
  const { metadata } = await client.get({ ...brokerKinds.brokers.ref, namespace: globalTenant, name: broker.id });
  assert.deepEqual(metadata.finalizers, [brokersFinalizer]);
});

describe('the last operation', () => {
  test('is the newest of the resource and its type', async () => {
    const { id } = await seedInstance(registry);
    const type = '/v1/service_instances';
    assert.equal(lastOperationOf(registry, type, id), undefined);
    await seedOperation(registry, { spec: { resourceId: id } });
    const last = await seedOperation(registry, { spec: { resourceId: id, type: 'update' } });
    await seedOperation(registry, { spec: { resourceId: id, resourceType: '/v1/service_bindings' } });
    assert.equal(lastOperationOf(registry, type, id), last);
  });

  test('is open until it ends, and while its remains are being removed', async () => {
    const opened = (term: string) => [...registry.operations.by('open', term)].map(({ id }) => id);
    const { id } = await seedOperation(registry, { spec: { resourceId: 'r' } });
    const become = (status: object) => {
      const row = registry.operations.get(id);
      assert.ok(row);
      return registry.commit([updateRow({ table: 'operations', row, status })]);
    };
    assert.ok(opened('pending').includes(id));
    await become({ state: 'in progress' });
    assert.deepEqual([opened('pending').includes(id), opened('in progress').includes(id)], [false, true]);
    await become({ state: 'failed', deletionScheduledAt: registry.now() });
    assert.deepEqual([opened('in progress').includes(id), opened('mitigation').includes(id)], [false, true]);
    await become({ state: 'failed' });
    assert.equal(opened('mitigation').includes(id), false);
  });
});

test('a public visibility is indexed under the empty platform', async () => {
  const everybody = await seedVisibility(registry, { spec: { planId: 'p' } });
  const { plans, broker } = await seedBroker(registry);
  assert.deepEqual([...registry.visibilities.by('platformId', '')], [everybody]);
  assert.equal(registry.plans.count('brokerId', broker.id), plans.length);
});

test('only what meshes read has their label, and labels of other writers stay', async () => {
  const labelsOf = async (id: string) =>
    (await client.get({ ...brokerKinds.instances.ref, namespace: globalTenant, name: id })).metadata.labels;
  const listens = { endpoints: [{ address: '10.0.0.1', port: 1 }] };
  const { id } = await seedInstance(registry);
  assert.equal(await labelsOf(id), undefined);
  const body = { metadata: { labels: { team: 'a' } } };
  await client.patch({ ...brokerKinds.instances.ref, namespace: globalTenant, name: id }, { type: 'merge', body });
  await eventually(async () => (await labelsOf(id))?.['team'] === 'a');
  const become = async (status: object): Promise<void> => {
    const { metadata } = await client.get({ ...brokerKinds.instances.ref, namespace: globalTenant, name: id });
    await eventually(() => String(registry.instances.get(id)?.revision) === metadata.resourceVersion);
    await registry.commit([
      updateRow({ table: 'instances', row: registry.instances.get(id) ?? assert.fail(), status }),
    ]);
  };
  await become({ ready: true, listens });
  assert.deepEqual(await labelsOf(id), { team: 'a', [meshRecordLabel]: 'instance' });
  await become({ ready: true });
  assert.deepEqual(await labelsOf(id), { team: 'a' });
  const reference = await seedInstance(registry, { spec: { referencedInstanceId: id } });
  assert.deepEqual(await labelsOf(reference.id), { [meshRecordLabel]: 'reference' });
});
