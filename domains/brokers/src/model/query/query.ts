/** Operators with one value on their right. */
export const singleOperators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'en', 'contains'] as const;
/** Operators with a list on their right. */
export const listOperators = ['in', 'notin'] as const;

/** How a criterion compares. */
export type QueryOperator = (typeof singleOperators)[number] | (typeof listOperators)[number];

/** A value on the right side. `text` is what text columns are compared with. */
export type QueryValue =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'boolean'; readonly text: string }
  | { readonly type: 'date'; readonly text: string };

/** One condition. Single operators have exactly one value. */
export interface Criterion {
  readonly key: string;
  readonly operator: QueryOperator;
  readonly values: readonly QueryValue[];
}

/** Conditions that must all hold. */
export type Query = readonly Criterion[];

/** Words that cannot be a key unless it is quoted. */
export const keywords: ReadonlySet<string> = new Set([...singleOperators, ...listOperators, 'and', 'true', 'false']);

/** What a key may be made of without quotes. */
export const plainKey = /[A-Za-z0-9_/\\-]+/y;

/** The query as text; parsing that gives the query again. */
export const printQuery = (query: Query): string => query.map(printCriterion).join(' and ');

function printCriterion({ key, operator, values }: Criterion): string {
  const right = values.map(printValue);
  const isList = operator === 'in' || operator === 'notin';
  return `${printKey(key)} ${operator} ${isList ? `(${right.join(',')})` : right[0]}`;
}

function printKey(key: string): string {
  plainKey.lastIndex = 0;
  const isPlain = plainKey.exec(key)?.[0] === key && !keywords.has(key);
  return isPlain ? key : quote(key);
}

const printValue = ({ type, text }: QueryValue): string => (type === 'string' ? quote(text) : text);

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
