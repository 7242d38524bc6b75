import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AtomicClient } from '@chandlery/client';
import {
  checkRow,
  createRow,
  type HarbourRow,
  harbours,
  openRegistry,
  type PortRegistry,
  removeRow,
  startTestRegistry,
  type TestRegistry,
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

const harbourAt = (name: string) => ({ ...harbours.ref, name });

async function seedHarbour(id: string, country = 'de'): Promise<HarbourRow> {
  await registry.commit([createRow({ table: 'harbours', id, tenant: '', spec: { country } })]);
  return registry.harbours.get(id) as HarbourRow;
}

test('a row of a cluster-scoped kind has no tenant, and its object no namespace', async () => {
  const row = await seedHarbour('kiel');
  assert.deepEqual([row.tenant, row.spec.country, row.hasFinalizer], ['', 'de', false]);
  assert.deepEqual([...registry.harbours.by('country', 'de')], [row]);
  const { metadata } = await client.get(harbourAt('kiel'));
  assert.deepEqual([metadata.namespace, metadata.finalizers], [undefined, undefined]);
});

test('it is updated, checked and removed', async () => {
  const row = await seedHarbour('lagos', 'pt');
  await registry.commit([updateRow({ table: 'harbours', row, status: { berths: 3 } })]);
  const next = registry.harbours.get('lagos') ?? assert.fail();
  assert.deepEqual([next.status.berths, next.spec.country, next.tenant], [3, 'pt', '']);
  await registry.commit([checkRow('harbours', next)]);
  await assert.rejects(registry.commit([checkRow('harbours', row)]), { code: 'Conflict' });
  await registry.commit([removeRow('harbours', next)]);
  assert.equal(registry.harbours.get('lagos'), undefined);
  await assert.rejects(client.get(harbourAt('lagos')), { code: 'NotFound' });
});

test('it comes from the list and from the watch alike', async () => {
  const listed = await seedHarbour('listed');
  await using other = openRegistry({ client });
  await other.synced;
  assert.deepEqual(other.harbours.get('listed'), listed);
  await client.create(harbours.ref, harbours.object({ name: 'by-hand' }, { country: 'nl' }));
  const isThere = (row: HarbourRow | undefined) => row !== undefined;
  const watched = await other.harbours.until('by-hand', isThere, AbortSignal.timeout(5000));
  assert.deepEqual([watched?.tenant, watched?.spec.country], ['', 'nl']);
});

test('a failed commit shows its present state', async () => {
  const row = await seedHarbour('changed');
  await client.patch(harbourAt('changed'), { type: 'merge', body: { spec: { country: 'dk' } } });
  await assert.rejects(registry.commit([removeRow('harbours', row)]), { code: 'Conflict' });
  assert.equal(registry.harbours.get('changed')?.spec.country, 'dk');
});

test('a row that no longer exists is a conflict', async () => {
  const row = await seedHarbour('gone');
  await client.commit([{ type: 'remove', ref: harbourAt('gone') }]);
  await assert.rejects(registry.commit([updateRow({ table: 'harbours', row, status: {} })]), { code: 'Conflict' });
  assert.equal(registry.harbours.get('gone'), undefined);
});

test('a table that is not there is an error of the caller', async () => {
  const write = { ...checkRow('harbours', await seedHarbour('lost')), table: 'boats' } as never;
  await assert.rejects(registry.commit([write]), /there is no table "boats"/);
});
