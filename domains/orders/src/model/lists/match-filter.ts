import { compileLike } from '@chandlery/api';
import type { FilterExpression, FilterOperator } from './filter-expression.ts';
import { type ColumnValue, findColumn, type ListColumn, type ListColumns } from './list-column.ts';

/** Whether a record matches. */
export type RecordMatcher<R> = (record: R) => boolean;

/** Compiles an expression to a test of records. A record without a value matches `!=` and `!~=` only. */
export function compileFilter<R>(expression: FilterExpression, columns: ListColumns<R>): RecordMatcher<R> {
  switch (expression.type) {
    case 'compare': {
      const column = findColumn(columns, expression.column);
      return column === undefined ? () => false : compileComparison(column, expression.operator, expression.value);
    }
    case 'not': {
      const term = compileFilter(expression.term, columns);
      return record => !term(record);
    }
    case 'and': {
      const terms = expression.terms.map(term => compileFilter(term, columns));
      return record => terms.every(term => term(record));
    }
    case 'or': {
      const terms = expression.terms.map(term => compileFilter(term, columns));
      return record => terms.some(term => term(record));
    }
  }
}

function compileComparison<R>(column: ListColumn<R>, operator: FilterOperator, value: string): RecordMatcher<R> {
  if (operator === '!=') return negated(compileComparison(column, '==', value));
  if (operator === '!~=') return negated(compileComparison(column, '~=', value));
  const test = testOf(column.type, operator, value);
  return record => valuesOf(column.value(record)).some(test);
}

const negated =
  <R>(matches: RecordMatcher<R>): RecordMatcher<R> =>
  record =>
    !matches(record);

const valuesOf = (value: ColumnValue): readonly (string | number)[] => {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
};

type Test = (value: string | number) => boolean;

function testOf(type: ListColumn<never>['type'], operator: FilterOperator, expected: string): Test {
  if (operator === '~=') {
    const matches = compileLike(expected);
    return value => matches(String(value));
  }
  if (type === 'text') return value => isInOrder(compare(String(value), expected), operator);
  const toNumber = type === 'time' ? timeOf : Number;
  const number = toNumber(expected);
  return value => isInOrder(compare(toNumber(String(value)), number), operator);
}

/** Milliseconds and their fraction: times of records have microseconds, which `Date` drops. */
export function timeOf(text: string): number {
  const [, fraction = ''] = /\.\d{3}(\d{1,6})/.exec(text) ?? [];
  return Date.parse(text) + (fraction === '' ? 0 : Number(`0.${fraction}`));
}

/** Undefined when they cannot be compared, as anything with what is no number. */
function compare(one: string | number, other: string | number): number | undefined {
  if (one === other) return 0;
  if (one < other) return -1;
  return one > other ? 1 : undefined;
}

function isInOrder(compared: number | undefined, operator: FilterOperator): boolean {
  if (compared === undefined) return false;
  switch (operator) {
    case '==':
      return compared === 0;
    case '<':
      return compared < 0;
    case '<=':
      return compared <= 0;
    case '>':
      return compared > 0;
    case '>=':
      return compared >= 0;
    default:
      return false;
  }
}
