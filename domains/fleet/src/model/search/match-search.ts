import { compileLike, type TextMatcher } from '@chandlery/api';
import { type InstanceFields, instanceColumns } from './instance-columns.ts';
import type { SearchExpression, ValueOperator } from './search-expression.ts';

/** Compiles an expression to a test of instances. */
export function compileSearch(expression: SearchExpression): (row: InstanceFields) => boolean {
  switch (expression.type) {
    case 'compare':
      return onColumn(expression.column, compileComparison(expression.operator, expression.value));
    case 'in': {
      const { values, isNegated } = expression;
      const accepted = new Set(values);
      return onColumn(expression.column, text => accepted.has(text) !== isNegated);
    }
    case 'and': {
      const terms = expression.terms.map(compileSearch);
      return row => terms.every(term => term(row));
    }
    case 'or': {
      const terms = expression.terms.map(compileSearch);
      return row => terms.some(term => term(row));
    }
  }
}

function onColumn(name: string, matches: TextMatcher): (row: InstanceFields) => boolean {
  const column = instanceColumns.get(name);
  return column === undefined ? () => false : row => matches(column.value(row));
}

function compileComparison(operator: ValueOperator, value: string): TextMatcher {
  switch (operator) {
    case '=':
      return text => text === value;
    case '<>':
      return text => text !== value;
    case 'like':
      return compileLike(value);
    case 'ilike': {
      const matches = compileLike(value.toLowerCase());
      return text => matches(text.toLowerCase());
    }
  }
}
