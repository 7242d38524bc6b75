import { smError } from '../../errors.ts';
import { type Comparable, compileTest, microsecondsOf } from './compare.ts';
import type { Labels } from './labels.ts';
import type { Criterion, Query, QueryValue } from './query.ts';

/** A field that `fieldQuery` can name. Undefined is null; times are RFC 3339. */
export interface QueryField<R> {
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'json';
  readonly read: (row: R) => string | number | boolean | object | undefined;
  /** The index that holds the field, for `eq` and `in`. Default: none. */
  readonly index?: string;
  /** The value that stands for null; `en` treats it as null. Default: none. */
  readonly nullAs?: string;
}

/** The rows that an index has under one of the values. */
export interface Narrowing {
  readonly index: string;
  readonly values: readonly string[];
}

/** A query made ready for a table: `narrowings` and `ids` find few rows, `test` decides. */
export interface CompiledQuery<R> {
  readonly narrowings: readonly Narrowing[];
  /** The only ids that can match. Undefined: any. */
  readonly ids?: readonly string[];
  readonly test: (row: R) => boolean;
  /** Whether the narrowings find what the test accepts and nothing else, so that rows need not be looked at. */
  readonly isExact: boolean;
}

/** Makes a field query ready. Throws `BadRequest` for fields that are not there and comparisons that mean nothing. */
export function compileFieldQuery<R>(query: Query, fields: Readonly<Record<string, QueryField<R>>>): CompiledQuery<R> {
  const tests = query.map(criterion => compileField(criterion, fields));
  const equalities = query.filter(({ operator }) => operator === 'eq' || operator === 'in');
  const narrowings = equalities.flatMap(({ key, values }) => {
    const { index, type } = findField(key, fields).field;
    return index === undefined || type !== 'string' ? [] : [{ index, values: values.map(({ text }) => text) }];
  });
  const byId = equalities.find(({ key }) => key === 'id');
  return {
    narrowings,
    isExact: narrowings.length === query.length,
    ...(byId === undefined ? {} : { ids: byId.values.map(({ text }) => text) }),
    test: row => tests.every(test => test(row)),
  };
}

function compileField<R>(criterion: Criterion, fields: Readonly<Record<string, QueryField<R>>>): (row: R) => boolean {
  const { field, path } = findField(criterion.key, fields);
  if (criterion.operator === 'contains' && field.type !== 'string' && field.type !== 'json')
    throw smError('BadRequest', `contains is for texts: ${criterion.key} is a ${field.type}`, { field: criterion.key });
  const test = compileTest(criterion, value => rightSide(value, field.type, criterion.key));
  const read = criterion.operator === 'en' ? readOrNull(field) : field.read;
  return row => test(leftSide(at(read(row), path), field.type));
}

/** What the field says, with null as such, whatever it is shown as. */
function readOrNull<R>({ read, nullAs }: QueryField<R>): QueryField<R>['read'] {
  if (nullAs === undefined) return read;
  return row => {
    const value = read(row);
    return value === nullAs ? undefined : value;
  };
}

function findField<R>(
  key: string,
  fields: Readonly<Record<string, QueryField<R>>>,
): { field: QueryField<R>; path: string[] } {
  const [name = '', ...path] = key.split('/');
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined || (path.length > 0 && field.type !== 'json'))
    throw smError('BadRequest', `unsupported field query key: ${key}`, { field: key });
  return { field, path };
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found ?? undefined;
}

function leftSide(value: unknown, type: QueryField<never>['type']): Comparable | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === 'date') return microsecondsOf(value as string);
  if (typeof value === 'string' || (typeof value === 'number' && type === 'number')) return value;
  return JSON.stringify(value);
}

function rightSide(value: QueryValue, type: QueryField<never>['type'], key: string): Comparable {
  if (type === 'date') return microsecondsOf(value.text) ?? reject(key, 'a time');
  if (type !== 'number') return value.text;
  return /^[+-]?\d+(\.\d+)?$/.test(value.text) ? Number(value.text) : reject(key, 'a number');
}

function reject(key: string, what: string): never {
  throw smError('BadRequest', `${key} is compared with ${what}`, { field: key });
}

/**
 * Makes a label query ready. Throws `BadRequest` for a key that is asked for twice. `term` is the name of a label and its
 * value in the index.
 */
export function compileLabelQuery<R>(
  query: Query,
  { labelsOf, term }: { labelsOf: (row: R) => Labels | undefined; term: (key: string, value: string) => string },
): CompiledQuery<R> {
  const test = labelTest(query);
  const equalities = query.filter(({ operator }) => operator === 'eq' || operator === 'in');
  return {
    isExact: equalities.length === query.length,
    narrowings: equalities.map(({ key, values }) => ({
      index: 'label',
      values: values.map(({ text }) => term(key, text)),
    })),
    test: row => test(labelsOf(row) ?? {}),
  };
}

/**
 * Whether labels meet a query. `eq`, `in`, `contains` and orders want some value of the key for which they hold; `ne` and
 * `notin` hold when no value equals, so also for labels without the key; `en` holds without the key as well. Throws
 * `BadRequest` for a key that is asked for twice.
 */
export function labelTest(query: Query): (labels: Labels) => boolean {
  const keys = query.map(({ key }) => key);
  const twice = keys.find((key, place) => keys.indexOf(key) !== place);
  if (twice !== undefined) throw smError('BadRequest', `the label ${JSON.stringify(twice)} is asked for twice`);
  const tests = query.map(compileLabel);
  return labels => tests.every(test => test(labels));
}

function compileLabel(criterion: Criterion): (labels: Labels) => boolean {
  const { key, operator } = criterion;
  const test = compileTest(criterion, ({ text }) => text);
  const valuesOf = (labels: Labels): readonly string[] => (Object.hasOwn(labels, key) ? (labels[key] ?? []) : []);
  switch (operator) {
    case 'ne':
    case 'notin':
      return labels => valuesOf(labels).every(test);
    case 'en':
      return labels => valuesOf(labels).length === 0 || valuesOf(labels).some(test);
    default:
      return labels => valuesOf(labels).some(test);
  }
}

/** Both must hold. */
export function bothQueries<R>(left: CompiledQuery<R>, right: CompiledQuery<R>): CompiledQuery<R> {
  const ids = left.ids ?? right.ids;
  return {
    narrowings: [...left.narrowings, ...right.narrowings],
    isExact: left.isExact && right.isExact,
    ...(ids === undefined ? {} : { ids }),
    test: row => left.test(row) && right.test(row),
  };
}
