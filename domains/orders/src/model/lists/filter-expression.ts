/** Comparisons of a column with a value. `like` knows `%` and `_`. */
export const filterOperators = ['==', '!=', '<', '<=', '>', '>=', '~=', '!~='] as const;

export type FilterOperator = (typeof filterOperators)[number];

/** A parsed filter. The parser gives `and` and `or` at least two terms. */
export type FilterExpression =
  | { readonly type: 'compare'; readonly column: string; readonly operator: FilterOperator; readonly value: string }
  | { readonly type: 'not'; readonly term: FilterExpression }
  | { readonly type: 'and' | 'or'; readonly terms: readonly FilterExpression[] };

/** Writes an expression so that the parser reads the same one. */
export function printFilter(expression: FilterExpression): string {
  switch (expression.type) {
    case 'compare':
      return `${expression.column} ${expression.operator} ${quote(expression.value)}`;
    case 'not':
      return `!(${printFilter(expression.term)})`;
    case 'and':
    case 'or':
      return expression.terms.map(term => `(${printFilter(term)})`).join(expression.type === 'and' ? ' && ' : ' || ');
  }
}

const quote = (value: string): string => `'${value.replaceAll(/[\\']/g, match => `\\${match}`)}'`;
