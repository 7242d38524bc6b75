import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRow } from './row.ts';
import type { TableMirror } from './table-definition.ts';
import { openRegistry, removeRow, seedShip, startTestRegistry, tables } from './test-registry.ts';

/** Shows a harbour for every ship with a home, named after both. */
const mirror: TableMirror = {
  into: 'harbours',
  show: (harbours, { type, row }) => {
    if (row.spec['home'] === undefined) return undefined;
    const berth: AnyRow = { ...row, id: `berth-of-${row.id}`, uid: '', spec: { country: row.spec['home'] } };
    const changes = type === 'removed' ? harbours.remove(berth.id) : harbours.put(berth);
    return () => harbours.notify(changes);
  },
};

const mirrored = { ...tables, ships: { ...tables.ships, mirror } };

test('a mirror shows rows without objects in another table, and its listeners find what they follow from', async () => {
  await using running = await startTestRegistry();
  const { client } = running;
  await using registry = openRegistry({ client, tables: mirrored });
  await registry.synced;
  const seen: unknown[] = [];
  registry.harbours.listen(({ type, row }) => seen.push([type, row.id, registry.ships.get('marie')?.id]));
  const ship = await seedShip(registry, { id: 'marie', spec: { home: 'kiel' } });
  await seedShip(registry, { id: 'homeless' });
  assert.equal(registry.harbours.get('berth-of-marie')?.uid, '');
  assert.equal(registry.harbours.count('country', 'kiel'), 1);
  await registry.commit([removeRow('ships', ship)]);
  assert.deepEqual(seen, [
    ['added', 'berth-of-marie', 'marie'],
    ['removed', 'berth-of-marie', undefined],
  ]);
  assert.equal(registry.harbours.size, 0);
});
