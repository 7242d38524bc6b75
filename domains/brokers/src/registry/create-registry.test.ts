import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { brokerKinds, brokersFinalizer, globalTenant } from '../kinds/index.ts';
import {
  seedBroker,
  seedInstance,
  seedOperation,
  seedPlan,
  seedPlatform,
  seedTenant,
  seedVisibility,
  startTestRegistry,
  type TestRegistry,
} from '../test-registry.ts';
import { createRegistry } from './create-registry.ts';
import { lastOperationOf } from './last-operation.ts';
import { checkRow, createRow, type Registry, removeRow, updateRow } from './registry.ts';

let running: TestRegistry;
let registry: Registry;
let client: AtomicClient;
before(async () => {
  running = await startTestRegistry();
  ({ registry, client } = running);
  await seedTenant(client, 'acme');
});
after(() => running[Symbol.asyncDispose]());

const platformAt = (name: string, namespace = globalTenant) => ({ ...brokerKinds.platforms.ref, namespace, name });

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

  test('freezes what it shows, all the way down', async () => {
    const row = await seedPlatform(registry, { spec: { labels: { a: ['b'] } } });
    const { labels = {} } = row.spec;
    for (const write of [() => Object.assign(row, { id: '' }), () => labels['a']?.push('c')])
      assert.throws(write, TypeError);
  });

  test('of several rows is all or nothing, and its listeners find all of it', async () => {
    const plan = await seedPlan(registry);
    const [instance, operation] = [registry.newId(), registry.newId()];
    const found: unknown[] = [];
    const stop = registry.instances.listen(({ type, row }) => {
      found.push([type, row.id, registry.operations.get(operation)?.spec.resourceId]);
    });
    await registry.commit([
      checkRow('plans', plan),
      createRow({ table: 'instances', id: instance, tenant: globalTenant, spec: { planId: plan.id } }),
      createRow({
        table: 'operations',
        id: operation,
        tenant: globalTenant,
        spec: { type: 'create', resourceType: '/v1/service_instances', resourceId: instance, platformId: 'x' },
      }),
    ]);
    stop();
    assert.deepEqual(found, [['added', instance, instance]]);
  });

  test('keeps what an update does not name, and moves the row in its indexes', async () => {
    const row = await seedPlatform(registry, { spec: { name: 'before' }, status: { agentVersion: '1' } });
    await registry.commit([updateRow({ table: 'platforms', row, spec: { ...row.spec, name: 'behind' } })]);
    const next = registry.platforms.get(row.id);
    assert.deepEqual([next?.spec.name, next?.status.agentVersion], ['behind', '1']);
    assert.equal(next?.createdAt, row.createdAt);
    assert.ok((next?.updatedAt ?? '') > row.updatedAt);
    assert.deepEqual([registry.platforms.count('name', 'before'), registry.platforms.count('name', 'behind')], [0, 1]);
  });

  test('removes rows whatever finalizers they have', async () => {
    const row = await seedPlatform(registry);
    await registry.commit([removeRow('platforms', row)]);
    assert.equal(registry.platforms.get(row.id), undefined);
    await assert.rejects(client.get(platformAt(row.id)), { code: 'NotFound' });
  });

  test('takes ids that are no object names', async () => {
    const row = await seedPlatform(registry, { id: 'a/b c~' });
    assert.equal(registry.platforms.get('a/b c~'), row);
    await registry.commit([removeRow('platforms', row)]);
    assert.equal(registry.platforms.get('a/b c~'), undefined);
  });
});

describe('a commit that fails', () => {
  const renamed = (row: Parameters<typeof removeRow<'platforms'>>[1], name: string) =>
    updateRow({ table: 'platforms', row, spec: { ...row.spec, name } });

  test('because a row has changed shows the change', async () => {
    const row = await seedPlatform(registry);
    await client.patch(platformAt(row.id), { type: 'merge', body: { spec: { description: 'changed' } } });
    await assert.rejects(registry.commit([renamed(row, 'too late')]), { code: 'Conflict' });
    const now = registry.platforms.get(row.id);
    assert.equal(now?.spec.description, 'changed');
    await registry.commit([renamed(now, 'in time')]);
    assert.equal(registry.platforms.get(row.id)?.spec.name, 'in time');
  });

  test('because a row is gone says Conflict, and the row is gone', async () => {
    const row = await seedPlatform(registry);
    await client.commit([{ type: 'remove', ref: platformAt(row.id) }]);
    await assert.rejects(registry.commit([renamed(row, 'nothing')]), { code: 'Conflict' });
    assert.equal(registry.platforms.get(row.id), undefined);
    await assert.rejects(registry.commit([removeRow('platforms', row)]), { code: 'Conflict' });
    await assert.rejects(registry.commit([checkRow('platforms', row)]), { code: 'Conflict' });
  });

  test('leaves the other rows as they were', async () => {
    const row = await seedPlatform(registry);
    const stale = { ...row, revision: row.revision - 1 };
    const id = registry.newId();
    const other = createRow({ table: 'platforms', id, tenant: globalTenant, spec: { type: 'x' } });
    await assert.rejects(registry.commit([other, removeRow('platforms', stale)]), { code: 'Conflict' });
    assert.deepEqual([registry.platforms.get(id), registry.platforms.get(row.id)], [undefined, row]);
  });

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

  test('because there is no such tenant', async () => {
    await assert.rejects(seedPlatform(registry, { tenant: 'nobody' }), { code: 'NotFound' });
  });
});

describe('Secrets', () => {
  const secretAt = (name: string) => ({ group: '', version: 'v1', plural: 'secrets', namespace: 'acme', name });
  const put = (name: string, data: Record<string, string>) =>
    ({ type: 'put-secret', tenant: 'acme', name, data }) as const;

  test('are made, replaced as a whole and removed with rows', async () => {
    await registry.commit([put('keys', { a: '1', b: 'ü' })]);
    assert.deepEqual(await registry.readSecret('acme', 'keys'), { a: '1', b: 'ü' });
    await registry.commit([put('keys', { b: '2' })]);
    assert.deepEqual(await registry.readSecret('acme', 'keys'), { b: '2' });
    const { metadata, type } = await client.get(secretAt('keys'));
    assert.deepEqual([metadata.labels, type], [{ 'brokers.chandlery.io/managed': 'true' }, 'Opaque']);
    for (let i = 0; i < 2; i++) await registry.commit([{ type: 'remove-secret', tenant: 'acme', name: 'keys' }]);
    assert.equal(await registry.readSecret('acme', 'keys'), undefined);
  });

  test('that two commits write at once are those of the last one', async () => {
    await Promise.all(['1', '2', '3'].map(value => registry.commit([put('raced', { value })])));
    assert.match((await registry.readSecret('acme', 'raced'))?.['value'] ?? '', /^[123]$/);
  });

  test('are not written when a row is not', async () => {
    const row = await seedPlatform(registry);
    const stale = { ...row, revision: 1 };
    await assert.rejects(registry.commit([put('orphan', { a: 'b' }), checkRow('platforms', stale)]), {
      code: 'Conflict',
    });
    assert.equal(await registry.readSecret('acme', 'orphan'), undefined);
  });
});

describe('objects of others', () => {
  test('are rows, from their first second on, and keep what is written on them', async () => {
    const object: KubeObject = {
      apiVersion: brokerKinds.platforms.apiVersion,
      kind: 'Platform',
      metadata: { name: 'by-hand', labels: { mine: 'yes' }, annotations: { note: 'x' }, finalizers: ['example.com/x'] },
      spec: { type: 'kubernetes' },
    };
    const made = await client.create({ ...brokerKinds.platforms.ref, namespace: 'acme' }, object);
    const row = await registry.platforms.until('by-hand', found => found !== undefined, AbortSignal.timeout(5000));
    assert.ok(row);
    assert.equal(row.createdAt, made.metadata.creationTimestamp?.replace('Z', '.000000Z'));
    assert.deepEqual([...registry.platforms.by('name', 'by-hand')], [row]);
    assert.equal(row.hasFinalizer, false);

    await registry.commit([updateRow({ table: 'platforms', row, status: { ready: true } })]);
    const { metadata } = await client.get(platformAt('by-hand', 'acme'));
    assert.deepEqual(metadata.labels, { mine: 'yes' });
    assert.deepEqual(metadata.annotations, { note: 'x' });
    assert.deepEqual(metadata.finalizers, ['example.com/x', brokersFinalizer]);
    assert.equal(registry.platforms.get('by-hand')?.createdAt, row.createdAt);
    assert.equal(registry.platforms.get('by-hand')?.hasFinalizer, true);
  });

  test('that are deleted by hand stay until the registry lets go', async () => {
    const { id } = await seedPlatform(registry);
    await client.delete(platformAt(id));
    const row = await registry.platforms.until(id, found => found?.isDeleting === true, AbortSignal.timeout(5000));
    assert.ok(row);
    await registry.commit([updateRow({ table: 'platforms', row, spec: { ...row.spec, suspended: true } })]);
    const next = registry.platforms.get(id);
    assert.deepEqual([next?.isDeleting, next?.hasFinalizer], [true, true]);
    assert.ok(next);
    await registry.commit([removeRow('platforms', next)]);
    await assert.rejects(client.get(platformAt(id)), { code: 'NotFound' });
  });
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

test('a visibility for everybody is found under no platform', async () => {
  const everybody = await seedVisibility(registry, { spec: { planId: 'p' } });
  const { plans, broker } = await seedBroker(registry);
  assert.deepEqual([...registry.visibilities.by('platformId', '')], [everybody]);
  assert.equal(registry.plans.count('brokerId', broker.id), plans.length);
});

test('two registries see what the other commits', async () => {
  await using other = createRegistry({ client });
  await other.synced;
  const soon = AbortSignal.timeout(5000);
  assert.equal(other.platforms.size, registry.platforms.size);
  const row = await seedPlatform(registry);
  assert.deepEqual(await other.platforms.until(row.id, found => found !== undefined, soon), row);
  const theirs = other.platforms.get(row.id);
  assert.ok(theirs);
  await other.commit([removeRow('platforms', theirs)]);
  await registry.platforms.until(row.id, found => found === undefined, soon);
});

test('one that is closed follows no more', async () => {
  const closing = createRegistry({ client });
  await closing.synced;
  await closing[Symbol.asyncDispose]();
  const row = await seedPlatform(registry);
  await eventually(() => registry.platforms.get(row.id) !== undefined, { what: 'the open one' });
  assert.equal(closing.platforms.get(row.id), undefined);
});

test('time rises even when the clock stands', async () => {
  await using still = createRegistry({ client, clock: new ManualClock('2030-01-01T00:00:00Z') });
  assert.deepEqual(
    [still.now(), still.now(), still.now()],
    ['2030-01-01T00:00:00.000000Z', '2030-01-01T00:00:00.000001Z', '2030-01-01T00:00:00.000002Z'],
  );
});
