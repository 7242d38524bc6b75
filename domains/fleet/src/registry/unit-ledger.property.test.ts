import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InstanceRow } from './fleet-registry.ts';
import { UnitLedger } from './unit-ledger.ts';

const scope = 'cluster/dinosaurs/c';

const rowOf = (id: string, holds: readonly string[]): InstanceRow => ({
  id,
  tenant: 'fleet',
  uid: id,
  revision: 1,
  generation: 1,
  createdAt: '',
  updatedAt: '',
  isDeleting: false,
  hasFinalizer: true,
  spec: { product: 'dinosaurs', owner: 'o', organisation: 'x', cloudProvider: 'aws', region: 'r' },
  status: { state: 'accepted', instanceType: 'standard', units: holds.length, clusterId: 'c', holds: [...holds] },
});

const step = fc.oneof(
  fc.record({ type: fc.constant('create' as const), units: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ type: fc.constant('fail' as const), units: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ type: fc.constant('remove' as const), index: fc.nat() }),
  fc.record({ type: fc.constant('limit' as const), limit: fc.integer({ min: 0, max: 200 }) }),
);

test('units are given once, the lowest first, within the limit, and all come back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), steps => {
      const ledger = new UnitLedger();
      const rows: InstanceRow[] = [];
      let limit = 100;
      const taken = () => new Set(rows.flatMap(({ status }) => status.holds ?? []));
      for (const [index, action] of steps.entries()) {
        if (action.type === 'limit') limit = action.limit;
        else if (action.type === 'remove') {
          const [row] = rows.splice(action.index % Math.max(rows.length, 1), 1);
          if (row !== undefined) ledger.onChange({ type: 'removed', row });
        } else {
          const before = taken();
          using reservation = ledger.reserve([{ scope, units: action.units, limit }]);
          assert.equal(reservation !== undefined, action.units === 0 || before.size + action.units <= limit);
          assert.deepEqual(reservation?.holds ?? [], reservation ? lowestFree(before, action.units) : []);
          if (reservation === undefined || action.type === 'fail') continue;
          const row = rowOf(String(index), reservation.holds);
          rows.push(row);
          ledger.onChange({ type: 'added', row });
        }
        assert.equal(ledger.used(scope), taken().size);
      }
      for (const row of rows) ledger.onChange({ type: 'removed', row });
      assert.equal(ledger.used(scope), 0);
      assert.equal(ledger.countsByState('dinosaurs').size, 0);
    }),
  );
});

function lowestFree(taken: ReadonlySet<string>, count: number): readonly string[] {
  const free: string[] = [];
  for (let unit = 0; free.length < count; unit++) if (!taken.has(`${scope}#${unit}`)) free.push(`${scope}#${unit}`);
  return free;
}

test('a reservation of several scopes is whole or not at all', () => {
  const ledger = new UnitLedger();
  const demands = [
    { scope: 'a', units: 2, limit: 2 },
    { scope: 'b', units: 1, limit: 0 },
  ];
  assert.equal(ledger.reserve(demands), undefined);
  assert.equal(ledger.used('a'), 0);
  assert.equal(ledger.isUnsettled('a'), false);
});

test('an instance that moves frees the units of its former cluster and keeps its others', () => {
  const ledger = new UnitLedger();
  const previous = rowOf('x', [`${scope}#0`, 'quota/dinosaurs/org/x#0']);
  const { clusterId: _, ...status } = previous.status;
  const row = { ...previous, status: { ...status, holds: ['quota/dinosaurs/org/x#0'] } };
  ledger.onChange({ type: 'added', row: previous });
  ledger.onChange({ type: 'changed', row, previous });
  assert.equal(ledger.used(scope), 0);
  const quota = ledger.reserve([{ scope: 'quota/dinosaurs/org/x', units: 1, limit: 9 }]);
  assert.deepEqual(quota?.holds, ['quota/dinosaurs/org/x#1']);
});

test('holds that nobody can have given are ignored', () => {
  const ledger = new UnitLedger();
  ledger.onChange({
    type: 'added',
    row: rowOf('x', ['', '#1', 'a', `${scope}#-1`, `${scope}#x`, `${scope}#9007199254740991`]),
  });
  const reservation = ledger.reserve([{ scope, units: 1, limit: 100 }]);
  assert.deepEqual(reservation?.holds, [`${scope}#0`]);
});

test('finding a free unit does not become slower with the number of instances', () => {
  const timeOf = (count: number): number => {
    const ledger = new UnitLedger();
    for (let unit = 0; unit < count; unit++)
      ledger.onChange({ type: 'added', row: rowOf(String(unit), [`${scope}#${unit}`]) });
    const runs = Array.from({ length: 5 }, () => {
      const start = performance.now();
      for (let round = 0; round < 2000; round++)
        ledger.reserve([{ scope, units: 1, limit: 10_000_000 }])?.[Symbol.dispose]();
      return performance.now() - start;
    });
    return Math.min(...runs);
  };
  const [few, many] = [timeOf(1000), timeOf(100_000)];
  assert.ok(many < few * 5 + 5, `${many} ms with 100,000 instances, ${few} ms with 1,000`);
});
