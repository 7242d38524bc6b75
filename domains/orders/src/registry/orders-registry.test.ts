import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestOrders } from '../test-orders.ts';
import { createRow, recordAt, recordsAt, removeRow, updateRow } from './orders-registry.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('the history of records', () => {
  test('has every version of a record, also after its removal', async () => {
    await using orders = await startTestOrders();
    const { registry } = orders;
    const id = uuid(1);
    const before = registry.now();
    await registry.commit([createRow({ table: 'services', id, tenant: 'default', spec: { name: 'one' } })]);
    const first = registry.now();
    const row = registry.services.get(id);
    assert.ok(row);
    await registry.commit([updateRow({ table: 'services', row, spec: { name: 'two' } })]);
    const second = registry.now();
    const changed = registry.services.get(id);
    assert.ok(changed);
    await registry.commit([removeRow('services', changed)]);
    const nameAt = (time: string) => recordAt(registry, { table: 'services', id, time })?.spec.name;
    assert.deepEqual([before, first, second, registry.now()].map(nameAt), [undefined, 'one', 'two', undefined]);
    const listAt = (time: string, tenant?: string) =>
      recordsAt(registry, { table: 'services', tenant, time }).map(({ spec }) => spec.name);
    assert.deepEqual([listAt(first), listAt(second, 'default'), listAt(second, 'other')], [['one'], ['two'], []]);
  });

  test('has no entry for the progress of an upload, and still no gap', async () => {
    await using orders = await startTestOrders();
    const { registry } = orders;
    const id = uuid(2);
    const status = { status: 'partial', size: 1 } as const;
    await registry.commit([createRow({ table: 'artifacts', id, tenant: 'default', spec: {}, status })]);
    const during = registry.now();
    for (const size of [2, 3]) {
      const row = registry.artifacts.get(id);
      assert.ok(row);
      await registry.commit([updateRow({ table: 'artifacts', row, status: { ...row.status, size } })]);
    }
    assert.equal(registry.history.size, 0);
    const row = registry.artifacts.get(id);
    assert.ok(row);
    await registry.commit([updateRow({ table: 'artifacts', row, status: { ...row.status, status: 'ready' } })]);
    assert.equal(registry.history.size, 1);
    assert.equal(recordAt(registry, { table: 'artifacts', id, time: during })?.status.status, 'partial');
    assert.equal(recordAt(registry, { table: 'artifacts', id, time: registry.now() })?.status.status, 'ready');
  });

  test('is part of the commit: one that fails leaves no entry', async () => {
    await using orders = await startTestOrders();
    const { registry } = orders;
    const id = uuid(3);
    await registry.commit([createRow({ table: 'services', id, tenant: 'default', spec: { name: 'one' } })]);
    const row = registry.services.get(id);
    assert.ok(row);
    await registry.commit([updateRow({ table: 'services', row, spec: { name: 'two' } })]);
    await assert.rejects(registry.commit([updateRow({ table: 'services', row, spec: { name: 'three' } })]), {
      code: 'Conflict',
    });
    assert.equal(registry.history.size, 1);
  });
});

describe('the kinds', () => {
  test('want UUIDs as names, and an idempotency key once per tenant', async () => {
    await using orders = await startTestOrders();
    const { registry } = orders;
    const named = createRow({ table: 'services', id: 'hello', tenant: 'default', spec: {} });
    await assert.rejects(registry.commit([named]), { code: 'Invalid' });
    const order = (n: number, tenant: string) =>
      createRow({ table: 'orders', id: uuid(n), tenant, spec: { service: 'urn:x', idempotencyKey: 'k' } });
    await registry.commit([order(10, 'default')]);
    await assert.rejects(registry.commit([order(11, 'default')]), { code: 'UniqueViolation' });
    await registry.commit([order(12, 'kube-system')]);
  });
});
