import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServerTable } from '../../api/table.ts';
import { listColumns } from './list-columns.ts';

const tableOf = (
  names: readonly string[],
  rows: readonly (readonly [status: object, ...cells: readonly unknown[]])[],
): ServerTable => ({
  metadata: {},
  columnDefinitions: names.map(name => ({ name, type: 'string', priority: name === 'Service' ? 1 : 0 })),
  rows: rows.map(([status, ...cells]) => ({
    cells,
    object: { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' }, status },
  })),
});
const namesOf = (table: ServerTable, choice: Parameters<typeof listColumns>[1]): readonly string[] =>
  listColumns(table, choice).columns.map(({ name }) => name);

describe('the columns of a list', () => {
  const orders = tableOf(
    ['Name', 'Service', 'Display-Name', 'Status', 'Ready', 'Age'],
    [
      [{ status: 'executing' }, 'x', 'urn:a', 'holidays', 'executing', 'false', '1s'],
      [{ status: 'failed' }, 'y', 'urn:a', '', 'failed', true, '2s'],
    ],
  );

  it('leave out what repeats the state, which has the word of the kind', () => {
    assert.deepEqual(namesOf(orders, { isWide: false }), ['Name', 'Age']);
    const { wordOf } = listColumns(orders, { isWide: false });
    assert.deepEqual(orders.rows.map(wordOf), ['Executing', '']);
  });

  it('are all there when the user asks', () => {
    assert.equal(namesOf(orders, { isWide: true }).length, 6);
    assert.equal(listColumns(orders, { isWide: true }).wordOf(orders.rows[0] ?? assert.fail()), '');
  });

  it('are those that the view wants', () => {
    assert.deepEqual(namesOf(orders, { isWide: false, hidden: ['Age'], shown: ['Service'] }), ['Name', 'Service']);
  });

  it('keep a column that says more than true or false', () => {
    const pods = tableOf(['Name', 'Ready'], [[{ phase: 'Running' }, 'a', '1/1']]);
    assert.deepEqual(namesOf(pods, { isWide: false }), ['Name', 'Ready']);
  });

  it('have no states where no object has one', () => {
    const maps = tableOf(['Name', 'Data'], [[{}, 'a', 3]]);
    assert.equal(listColumns(maps, { isWide: false }).hasStates, false);
    assert.equal(listColumns(orders, { isWide: false }).hasStates, true);
    assert.equal(
      listColumns({ ...maps, metadata: { stateCounts: { exists: 9, failed: 1 } } }, { isWide: false }).hasStates,
      true,
    );
    const rollouts = tableOf(['Name', 'Phase'], [[{ phase: 'Aborted' }, 'a', 'Aborted']]);
    assert.equal(listColumns(rollouts, { isWide: false }).hasStates, true);
  });
});
