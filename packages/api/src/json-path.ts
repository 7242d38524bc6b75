import { badRequest } from './api-errors.ts';
import { isRecord } from './json/json-values.ts';
import { type FilterOperator, type Operand, parseJsonPath, type Segment } from './json-path-parser.ts';

/** A path made ready to run: from a value to all those it leads to, in document order. Never throws. */
export type CompiledJsonPath = (value: unknown, budget?: JsonPathBudget) => unknown[];

/** How many more values may be visited, by one run or by several together. */
export interface JsonPathBudget {
  visitsLeft: number;
}

/** The largest number of values that are visited: `..*..*` over a large object must not delay other requests. */
const maxVisits = 20_000;

/** A budget for all paths that are run on an object for the same purpose, as those of the columns of a table. */
export const jsonPathBudget = (): JsonPathBudget => ({ visitsLeft: maxVisits });

interface Run {
  readonly root: unknown;
  readonly budget: JsonPathBudget;
}

/**
 * Compiles a kubectl-style JSONPath: `.a.b`, `['a.b']`, `.a\.b`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `['a','b']`, `..a`,
 * `[?(@.type=="Ready")]`. Missing fields lead nowhere. Throws `BadRequest` when the text is no path. `budget`: default, one
 * of its own for each run.
 */
export function compileJsonPath(text: string): CompiledJsonPath {
  const segments = parseJsonPath(text);
  return (value, budget = jsonPathBudget()) => follow(segments, value, { root: value, budget });
}

function follow(segments: readonly Segment[], start: unknown, run: Run): unknown[] {
  let values: unknown[] = [start];
  for (const segment of segments) {
    const next: unknown[] = [];
    for (const value of values) step(segment, value, run, next);
    values = next;
  }
  return values;
}

function step(segment: Segment, value: unknown, run: Run, found: unknown[]): void {
  const { budget } = run;
  if (budget.visitsLeft-- <= 0) return;
  switch (segment.kind) {
    case 'field':
      if (isRecord(value) && Object.hasOwn(value, segment.name)) found.push(value[segment.name]);
      return;
    case 'index':
      if (Array.isArray(value)) pushAt(value, segment.index, found);
      return;
    case 'slice':
      if (Array.isArray(value)) pushSlice(value, segment, { budget, found });
      return;
    case 'wildcard':
      for (const child of childrenOf(value)) {
        if (budget.visitsLeft-- <= 0) return;
        found.push(child);
      }
      return;
    case 'descendants':
      pushDescendants(value, budget, found);
      return;
    case 'union':
      for (const member of segment.members) step(member, value, run, found);
      return;
    case 'filter':
      for (const child of Array.isArray(value) ? value : []) {
        if (budget.visitsLeft-- <= 0) return;
        if (passes(segment, child, run)) found.push(child);
      }
      return;
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function pushAt(array: readonly unknown[], index: number, found: unknown[]): void {
  const position = index < 0 ? array.length + index : index;
  if (position >= 0 && position < array.length) found.push(array[position]);
}

function pushSlice(
  array: readonly unknown[],
  { start = 0, end = array.length, step: width }: Extract<Segment, { kind: 'slice' }>,
  { budget, found }: { readonly budget: JsonPathBudget; readonly found: unknown[] },
): void {
  const placeOf = (index: number): number => (index < 0 ? Math.max(0, array.length + index) : index);
  const last = Math.min(array.length, placeOf(end));
  for (let at = placeOf(start); at < last && budget.visitsLeft-- > 0; at += width) found.push(array[at]);
}

/** The value itself and everything below it, parents before children. A stack of its own: data may be deep. */
function pushDescendants(value: unknown, budget: JsonPathBudget, found: unknown[]): void {
  const pending: unknown[] = [value];
  while (pending.length > 0 && budget.visitsLeft-- > 0) {
    const next = pending.pop();
    found.push(next);
    for (const child of childrenOf(next).toReversed()) pending.push(child);
  }
}

function passes(filter: Extract<Segment, { kind: 'filter' }>, element: unknown, run: Run): boolean {
  const left = evaluate(filter.left, element, run);
  if (filter.operator === undefined || filter.right === undefined) return left.length > 0;
  const right = evaluate(filter.right, element, run);
  return left.length === 1 && right.length === 1 && compare(left[0], filter.operator, right[0]);
}

function evaluate(operand: Operand, element: unknown, run: Run): unknown[] {
  return 'literal' in operand ? [operand.literal] : follow(operand.path, operand.fromRoot ? run.root : element, run);
}

function compare(left: unknown, operator: FilterOperator, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const areNumbers = isNumber(left) && isNumber(right);
  const areTexts = typeof left === 'string' && typeof right === 'string';
  return (areNumbers || areTexts) && compareOrdered(left, operator, right);
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function compareOrdered<T extends string | number | bigint>(
  left: T,
  operator: '<' | '>' | '<=' | '>=',
  right: T,
): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
  }
}

/** Splits a path of plain names, as scale sub-resources and selectable fields use. Throws `BadRequest` for anything else. */
export function parseSimplePath(text: string): string[] {
  const names = parseJsonPath(text).map(segment => (segment.kind === 'field' ? segment.name : undefined));
  const isSimple = names.length > 0 && text.startsWith('.') && !text.includes('[');
  if (!isSimple || names.includes(undefined) || names.includes('__proto__')) {
    throw badRequest(`invalid JSONPath ${JSON.stringify(text)}: must be a simple path of names, as .spec.replicas`);
  }
  return names.filter(name => name !== undefined);
}

/** What stands at a simple path, given as text or already split; undefined when nothing does. */
export function getAtSimplePath(value: unknown, path: string | readonly string[]): unknown {
  const names = typeof path === 'string' ? parseSimplePath(path) : path;
  let current = value;
  for (const name of names) {
    if (!isRecord(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** Puts `next` at a simple path of `object`, in place, making the objects on the way. Throws `BadRequest` when one of them is something else. */
export function setAtSimplePath(
  object: Record<string, unknown>,
  path: string | readonly string[],
  next: unknown,
): void {
  const names = typeof path === 'string' ? parseSimplePath(path) : path;
  let current = object;
  for (const name of names.slice(0, -1)) current = enterObject(current, name, names);
  const last = names.at(-1);
  if (last !== undefined) current[last] = next;
}

function enterObject(parent: Record<string, unknown>, name: string, names: readonly string[]): Record<string, unknown> {
  const existing = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (isRecord(existing)) return existing;
  if (existing !== undefined && existing !== null) {
    throw badRequest(`cannot set .${names.join('.')}: ${name} is not an object`);
  }
  const made: Record<string, unknown> = {};
  parent[name] = made;
  return made;
}
