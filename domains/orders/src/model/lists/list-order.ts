import { badRequest } from '../../errors.ts';
import { columnNames, findColumn, type ListColumn, type ListColumns } from './list-column.ts';
import { timeOf } from './match-filter.ts';

/** What decides the place of a record: the values of the columns of the order, and the id, which breaks ties. */
export interface ListPosition {
  readonly values: readonly (string | number)[];
  readonly id: string;
}

/** The order of a list. */
export interface ListOrder<R> {
  positionOf(record: R): ListPosition;
  compare(one: ListPosition, other: ListPosition): number;
}

/** The order of lists that ask for none. */
export const newestFirst: ListOrder<{ readonly id: string; readonly createdAt: string }> = {
  positionOf: ({ createdAt, id }) => ({ values: [createdAt], id }),
  compare: (one, other) => -comparePositions(one, other),
};

/** Parses `order-by`, a list of columns separated by commas. Throws `bad-request`. */
export function parseOrder<R extends { readonly id: string }>(
  text: string,
  { columns, isDescending }: { readonly columns: ListColumns<R>; readonly isDescending: boolean },
): ListOrder<R> {
  const chosen = text.split(',').map(name => columnOf(columns, name.trim()));
  const sign = isDescending ? -1 : 1;
  return {
    positionOf: record => ({ values: chosen.map(column => sortValue(column, record)), id: record.id }),
    compare: (one, other) => sign * comparePositions(one, other),
  };
}

function columnOf<R>(columns: ListColumns<R>, name: string): ListColumn<R> {
  const column = findColumn(columns, name);
  if (column === undefined)
    throw badRequest(`order-by: there is no column '${name}'; there are ${columnNames(columns)}`);
  return column;
}

/** Records without a value come first in ascending order. */
function sortValue<R>({ type, value }: ListColumn<R>, record: R): string | number {
  const found = value(record);
  const single = typeof found === 'object' ? found.join(',') : found;
  if (type === 'text') return String(single ?? '');
  const number = type === 'time' ? timeOf(String(single ?? '')) : Number(single ?? Number.NaN);
  return Number.isNaN(number) ? -Number.MAX_VALUE : number;
}

function comparePositions(one: ListPosition, other: ListPosition): number {
  for (const [at, value] of one.values.entries()) {
    const compared = compareValues(value, other.values[at] ?? '');
    if (compared !== 0) return compared;
  }
  return compareValues(one.id, other.id);
}

function compareValues(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
