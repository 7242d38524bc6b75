import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import type { RegistryOptions } from './create-registry.ts';
import {
  checkRow,
  createRow,
  finalizer,
  managedLabel,
  openRegistry,
  type PortRegistry,
  removeRow,
  type ShipRow,
  seedShip,
  shipAt,
  ships,
  startTestRegistry,
  type TestRegistry,
  type TestTables,
  updateRow,
} from './test-registry.ts';

let running: TestRegistry;
let registry: PortRegistry;
let client: AtomicClient;
before(async () => {
  running = await startTestRegistry();
  ({ registry, client } = running);
});
after(() => running[Symbol.asyncDispose]());

describe('a commit', () => {
  test('is visible when it resolves, in every index', async () => {
    const id = registry.newId();
    const spec = { name: 'marie', home: 'kiel', flags: ['red', 'green'] };
    await registry.commit([createRow({ table: 'ships', id, tenant: 'acme', spec, status: { cargo: 'tea' } })]);
    const row = registry.ships.get(id);
    assert.deepEqual(row?.spec, spec);
    assert.deepEqual([row?.status.cargo, row?.hasFinalizer, row?.tenant], ['tea', true, 'acme']);
    assert.deepEqual([...registry.ships.by('name', 'marie')], [row]);
    assert.deepEqual([...registry.ships.by('flag', 'green')], [row]);
    assert.equal(registry.ships.count('tenant', 'acme'), 1);
    assert.match(row?.createdAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.equal(row?.createdAt, row?.status.createdAt);
  });

  test('freezes what it shows, all the way down', async () => {
    const row = await seedShip(registry, { spec: { flags: ['b'] } });
    const { flags = [] } = row.spec;
    for (const write of [() => Object.assign(row, { id: '' }), () => flags.push('c')]) assert.throws(write, TypeError);
  });

  test('of several rows is all or nothing, and its listeners find all of it', async () => {
    const ship = await seedShip(registry);
    const id = registry.newId();
    const found: unknown[] = [];
    const stop = registry.ships.listen(({ type, row }) => {
      found.push([type, row.id, registry.harbours.get('kiel')?.spec.country]);
    });
    await registry.commit([
      checkRow('ships', ship),
      createRow({ table: 'ships', id, tenant: 'globex', spec: { name: 'both', home: 'kiel' } }),
      createRow({ table: 'harbours', id: 'kiel', tenant: '', spec: { country: 'de' } }),
    ]);
    stop();
    assert.deepEqual(found, [['added', id, 'de']]);
  });

  test('keeps what an update does not name, and moves the row in its indexes', async () => {
    const row = await seedShip(registry, { spec: { name: 'before' }, status: { cargo: '1' } });
    await registry.commit([updateRow({ table: 'ships', row, spec: { ...row.spec, name: 'behind' } })]);
    const next = registry.ships.get(row.id);
    assert.deepEqual([next?.spec.name, next?.status.cargo], ['behind', '1']);
    assert.equal(next?.createdAt, row.createdAt);
    assert.ok((next?.updatedAt ?? '') > row.updatedAt);
    assert.deepEqual([registry.ships.count('name', 'before'), registry.ships.count('name', 'behind')], [0, 1]);
  });

  test('removes rows whatever finalizers they have', async () => {
    const row = await seedShip(registry);
    await registry.commit([removeRow('ships', row)]);
    assert.equal(registry.ships.get(row.id), undefined);
    await assert.rejects(client.get(shipAt(row.id)), { code: 'NotFound' });
  });
});

describe('a commit that fails', () => {
  const renamed = (row: ShipRow, name: string) => updateRow({ table: 'ships', row, spec: { ...row.spec, name } });

  test('because a row has changed shows the change', async () => {
    const row = await seedShip(registry);
    await client.patch(shipAt(row.id), { type: 'merge', body: { spec: { home: 'changed' } } });
    await assert.rejects(registry.commit([renamed(row, 'too late')]), { code: 'Conflict' });
    const now = registry.ships.get(row.id);
    assert.equal(now?.spec.home, 'changed');
    await registry.commit([renamed(now, 'in time')]);
    assert.equal(registry.ships.get(row.id)?.spec.name, 'in time');
  });

  test('because a row was deleted is a Conflict, and removes the row', async () => {
    const row = await seedShip(registry);
    await client.commit([{ type: 'remove', ref: shipAt(row.id) }]);
    await assert.rejects(registry.commit([renamed(row, 'nothing')]), { code: 'Conflict' });
    assert.equal(registry.ships.get(row.id), undefined);
    await assert.rejects(registry.commit([removeRow('ships', row)]), { code: 'Conflict' });
    await assert.rejects(registry.commit([checkRow('ships', row)]), { code: 'Conflict' });
  });

  test('leaves the other rows as they were', async () => {
    const row = await seedShip(registry);
    const stale = { ...row, revision: row.revision - 1 };
    const id = registry.newId();
    const other = createRow({ table: 'ships', id, tenant: 'acme', spec: { name: 'other' } });
    await assert.rejects(registry.commit([other, removeRow('ships', stale)]), { code: 'Conflict' });
    assert.deepEqual([registry.ships.get(id), registry.ships.get(row.id)], [undefined, row]);
  });

  test('because an id is taken, in whichever tenant', async () => {
    const { id } = await seedShip(registry);
    await assert.rejects(seedShip(registry, { id }), { code: 'AlreadyExists' });
    await assert.rejects(seedShip(registry, { id, tenant: 'globex' }), { code: 'UniqueViolation' });
  });

  test('because a name is taken names the key', async () => {
    await seedShip(registry, { spec: { name: 'taken' } });
    const again = seedShip(registry, { spec: { name: 'taken' } });
    await assert.rejects(again, { code: 'UniqueViolation', details: { kind: 'name', name: 'taken' } });
  });

  test('because there is no such tenant', async () => {
    await assert.rejects(seedShip(registry, { tenant: 'nobody' }), { code: 'NotFound' });
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
    assert.deepEqual([metadata.labels, type], [{ [managedLabel]: 'true' }, 'Opaque']);
    for (let i = 0; i < 2; i++) await registry.commit([{ type: 'remove-secret', tenant: 'acme', name: 'keys' }]);
    assert.equal(await registry.readSecret('acme', 'keys'), undefined);
  });

  test('that two commits write at once are those of the last one', async () => {
    await Promise.all(['1', '2', '3'].map(value => registry.commit([put('raced', { value })])));
    assert.match((await registry.readSecret('acme', 'raced'))?.['value'] ?? '', /^[123]$/);
  });

  test('are not written when a row is not', async () => {
    const row = await seedShip(registry);
    const stale = { ...row, revision: 1 };
    await assert.rejects(registry.commit([put('orphan', { a: 'b' }), checkRow('ships', stale)]), {
      code: 'Conflict',
    });
    assert.equal(await registry.readSecret('acme', 'orphan'), undefined);
  });
});

describe('a Secret of another owner', () => {
  const ref = { group: '', version: 'v1', plural: 'secrets', namespace: 'acme' };
  const put = { type: 'put-secret', tenant: 'acme', name: 'theirs', data: { a: 'new' } } as const;
  before(async () => {
    const data = { a: Buffer.from('old').toString('base64') };
    await client.create(ref, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'theirs' }, data });
  });

  test('is not replaced', async () => {
    const message = 'the Secret "theirs" of "acme" exists and was not made by the harbour master';
    await assert.rejects(registry.commit([put]), { code: 'Conflict', message });
    assert.deepEqual(await registry.readSecret('acme', 'theirs'), { a: 'old' });
  });

  test('is not removed', async () => {
    await registry.commit([{ type: 'remove-secret', tenant: 'acme', name: 'theirs' }]);
    assert.deepEqual(await registry.readSecret('acme', 'theirs'), { a: 'old' });
  });

  test('makes the error that the options say', async () => {
    const secretTakenError = (message: string) => new RangeError(message);
    await using strict = openRegistry({ client, secretTakenError });
    await assert.rejects(strict.commit([put]), RangeError);
  });
});

describe('objects of others', () => {
  test('are rows, from their first second on, and keep what is written on them', async () => {
    const object: KubeObject = {
      apiVersion: ships.apiVersion,
      kind: 'Ship',
      metadata: { name: 'by-hand', labels: { mine: 'yes' }, annotations: { note: 'x' }, finalizers: ['example.com/x'] },
      spec: { name: 'by-hand' },
    };
    const made = await client.create({ ...ships.ref, namespace: 'acme' }, object);
    const row = await registry.ships.until('by-hand', found => found !== undefined, AbortSignal.timeout(5000));
    assert.ok(row);
    assert.equal(row.createdAt, made.metadata.creationTimestamp?.replace('Z', '.000000Z'));
    assert.deepEqual([...registry.ships.by('name', 'by-hand')], [row]);
    assert.equal(row.hasFinalizer, false);

    await registry.commit([updateRow({ table: 'ships', row, status: { cargo: 'tea' } })]);
    const { metadata } = await client.get(shipAt('by-hand', 'acme'));
    assert.deepEqual(metadata.labels, { mine: 'yes' });
    assert.deepEqual(metadata.annotations, { note: 'x' });
    assert.deepEqual(metadata.finalizers, ['example.com/x', finalizer]);
    assert.equal(registry.ships.get('by-hand')?.createdAt, row.createdAt);
    assert.equal(registry.ships.get('by-hand')?.hasFinalizer, true);
  });

  test('that are deleted by hand stay until the registry lets go', async () => {
    const { id } = await seedShip(registry);
    await client.delete(shipAt(id));
    const row = await registry.ships.until(id, found => found?.isDeleting === true, AbortSignal.timeout(5000));
    assert.ok(row);
    await registry.commit([updateRow({ table: 'ships', row, spec: { ...row.spec, home: 'kiel' } })]);
    const next = registry.ships.get(id);
    assert.deepEqual([next?.isDeleting, next?.hasFinalizer], [true, true]);
    assert.ok(next);
    await registry.commit([removeRow('ships', next)]);
    await assert.rejects(client.get(shipAt(id)), { code: 'NotFound' });
  });
});

test('two registries see what the other commits', async () => {
  await using other = openRegistry({ client });
  await other.synced;
  const soon = AbortSignal.timeout(5000);
  assert.equal(other.ships.size, registry.ships.size);
  const row = await seedShip(registry);
  assert.deepEqual(await other.ships.until(row.id, found => found !== undefined, soon), row);
  const theirs = other.ships.get(row.id);
  assert.ok(theirs);
  await other.commit([removeRow('ships', theirs)]);
  await registry.ships.until(row.id, found => found === undefined, soon);
});

test('one that is closed follows no more', async () => {
  const closing = openRegistry({ client });
  await closing.synced;
  await closing[Symbol.asyncDispose]();
  const row = await seedShip(registry);
  await eventually(() => registry.ships.get(row.id) !== undefined, { what: 'the open one' });
  assert.equal(closing.ships.get(row.id), undefined);
});

test('time rises even when the clock stands', async () => {
  await using still = openRegistry({ client, clock: new ManualClock('2030-01-01T00:00:00Z') });
  assert.deepEqual(
    [still.now(), still.now(), still.now()],
    ['2030-01-01T00:00:00.000000Z', '2030-01-01T00:00:00.000001Z', '2030-01-01T00:00:00.000002Z'],
  );
});

test('writes are changed before they are committed', async () => {
  const beforeCommit: RegistryOptions<TestTables>['beforeCommit'] = writes =>
    writes.map(write =>
      write.type === 'create' && write.table === 'ships' ? { ...write, status: { cargo: 'tea' } } : write,
    );
  await using loading = openRegistry({ client, beforeCommit });
  await loading.synced;
  const { status } = await seedShip(loading, { spec: { name: 'loaded' } });
  assert.equal(status.cargo, 'tea');
});
