/** Comparisons with one value. */
export const valueOperators = ['=', '<>', 'like', 'ilike'] as const;

export type ValueOperator = (typeof valueOperators)[number];

/** A parsed `search`. The parser gives `and` and `or` at least two terms. */
export type SearchExpression =
  | { readonly type: 'compare'; readonly column: string; readonly operator: ValueOperator; readonly value: string }
  | { readonly type: 'in'; readonly column: string; readonly isNegated: boolean; readonly values: readonly string[] }
  | { readonly type: 'and'; readonly terms: readonly SearchExpression[] }
  | { readonly type: 'or'; readonly terms: readonly SearchExpression[] };

/** Writes an expression so that the parser reads the same one. */
export function printSearch(expression: SearchExpression): string {
  switch (expression.type) {
    case 'compare':
      return `${expression.column} ${expression.operator} ${quote(expression.value)}`;
    case 'in': {
      const { column, isNegated, values } = expression;
      return `${column} ${isNegated ? 'not in' : 'in'} (${values.map(quote).join(', ')})`;
    }
    case 'and':
    case 'or':
      return expression.terms.map(printTerm).join(` ${expression.type} `);
  }
}

const printTerm = (term: SearchExpression): string =>
  term.type === 'and' || term.type === 'or' ? `(${printSearch(term)})` : printSearch(term);

const quote = (value: string): string => `'${value.replaceAll(/[\\']/g, match => `\\${match}`)}'`;
