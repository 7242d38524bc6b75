import { type FleetError, fleetError } from '../../errors.ts';
import { type InstanceFields, instanceColumns } from './instance-columns.ts';

/** One part of an order. */
export interface OrderTerm {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The order of lists that ask for none. */
export const defaultOrder: readonly OrderTerm[] = [{ column: 'name', isDescending: false }];

/** Parses `orderBy`: `field [asc|desc], …`. Empty: by name. Throws error 17. */
export function parseOrder(text: string): readonly OrderTerm[] {
  return text.trim() === '' ? defaultOrder : text.split(',').map(parseOrderTerm);
}

function parseOrderTerm(text: string): OrderTerm {
  const [column = '', direction = 'asc', ...rest] = text.trim().toLowerCase().split(/\s+/);
  if (rest.length > 0) throw orderError(`'${text.trim()}' has more than two words`);
  if (!instanceColumns.has(column))
    throw orderError(`unknown field '${column}', valid fields are: [${[...instanceColumns.keys()].join(', ')}]`);
  if (direction !== 'asc' && direction !== 'desc') throw orderError(`unknown direction '${direction}'`);
  return { column, isDescending: direction === 'desc' };
}

const orderError = (problem: string): FleetError =>
  fleetError(17, `Unable to list the requests: invalid orderBy clause: ${problem}`);

/** Compares instances in an order. The id breaks ties, so that pages do not overlap. */
export function compareBy(order: readonly OrderTerm[]): (one: InstanceFields, other: InstanceFields) => number {
  const terms = order.flatMap(({ column, isDescending }) => {
    const value = instanceColumns.get(column)?.value;
    return value === undefined ? [] : [{ value, sign: isDescending ? -1 : 1 }];
  });
  return (one, other) => {
    for (const { value, sign } of terms) {
      const compared = compareTexts(value(one), value(other));
      if (compared !== 0) return sign * compared;
    }
    return compareTexts(one.id, other.id);
  };
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
