import { parseTime } from '@chandlery/api';
import { smError } from '../../errors.ts';
import type { Criterion, QueryValue } from './query.ts';

/** What can be put in an order. */
export type Comparable = string | number;

/** Whether a value, which may be null, meets the criterion. */
export type Test = (value: Comparable | undefined) => boolean;

/**
 * Makes the test of a criterion over single values. `convert` turns right sides into what left sides are.
 *
 * Null equals nothing, so `ne` and `notin` hold for it; it has no place in an order and contains nothing.
 */
export function compileTest(criterion: Criterion, convert: (value: QueryValue) => Comparable): Test {
  const right = criterion.values.map(convert);
  const first = right[0] as Comparable;
  switch (criterion.operator) {
    case 'eq':
      return value => value === first;
    case 'en':
      return value => value === undefined || value === first;
    case 'ne':
      return value => value !== first;
    case 'in':
      return memberTest(right);
    case 'notin': {
      const isMember = memberTest(right);
      return value => !isMember(value);
    }
    case 'contains':
      return value => value !== undefined && String(value).includes(String(first));
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return orderTest(criterion, first);
  }
}

function memberTest(right: readonly Comparable[]): Test {
  const members: ReadonlySet<Comparable | undefined> = new Set(right);
  return value => value !== undefined && members.has(value);
}

function orderTest({ operator, values, key }: Criterion, right: Comparable): Test {
  const type = values[0]?.type;
  if (type !== 'number' && type !== 'date')
    throw smError('BadRequest', `${operator} compares with a number or a time only`, { field: key });
  switch (operator) {
    case 'gt':
      return value => value !== undefined && value > right;
    case 'ge':
      return value => value !== undefined && value >= right;
    case 'lt':
      return value => value !== undefined && value < right;
    default:
      return value => value !== undefined && value <= right;
  }
}

/** Microseconds since 1970, so that times of any precision and offset compare; undefined when it is no time. */
export function microsecondsOf(text: string): number | undefined {
  const time = parseTime(text);
  if (time === undefined) return undefined;
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  return time.getTime() * 1000 + Number(fraction.slice(3, 6).padEnd(3, '0'));
}
