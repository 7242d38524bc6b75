import { badRequest, type JsonObject, type JsonValue, parseJson } from '@chandlery/api';
import { isJsonObject } from '../patch/json-values.ts';

/**
 * One step of a path, in the notation of FieldsV1: `f:<field>`, `k:<json of an item's key fields>`, `v:<json of an
 * item's value>`, `i:<index>`. Always canonical, so equal steps are equal strings.
 */
export type PathElement = string;

/** Where a value is inside an object; empty for the object itself. */
export type FieldPath = readonly PathElement[];

/** The step to a named field or map key. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

/** The step to the item of a set. */
export const valueElement = (value: JsonValue): PathElement => `v:${canonicalJson(value)}`;

/** The step to the item of a keyed list, given the item's key fields in order of their names. */
export function keyElement(keys: readonly (readonly [name: string, value: JsonValue])[]): PathElement {
  return `k:{${keys.map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`).join(',')}}`;
}

/** JSON text with the keys of every object in order, as Kubernetes writes it. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.keys(value).filter(key => value[key] !== undefined);
  return `{${fields
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`)
    .join(',')}}`;
}

/**
 * Checks a step and makes it canonical. Undefined for kinds of steps that this version does not know: they are to be
 * ignored. Throws `BadRequest` for malformed ones.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text[1] !== ':') throw badRequest(`invalid field path element ${JSON.stringify(text)}`);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parseRest(text));
    case 'k': {
      const keys = parseRest(text);
      if (!isJsonObject(keys)) throw badRequest(`invalid field path element ${JSON.stringify(text)}: not an object`);
      return `k:${canonicalJson(keys)}`;
    }
    case 'i': {
      if (!/^i:-?\d+$/.test(text)) throw badRequest(`invalid field path element ${JSON.stringify(text)}: not an index`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

function parseRest(element: string): JsonValue {
  try {
    return parseJson(element.slice(2)) as JsonValue;
  } catch (error) {
    throw badRequest(`invalid field path element ${JSON.stringify(element)}: ${(error as Error).message}`);
  }
}

/** A path as people read it: `.spec.containers[name="web"].image`. */
export const printPath = (path: FieldPath): string => path.map(printElement).join('');

/** One step as people read it: `.image`, `[name="web"]`, `[="a"]`, `[3]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'k':
      return `[${Object.entries(parseJson(rest) as JsonObject)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${rest}]`;
    case 'i':
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}

const ranks = 'fkvi';

/** The code of the `f` that starts the most frequent kind of step. */
const fieldCode = ranks.charCodeAt(0);

/** The order in which Kubernetes lists steps: fields, keys, values, indexes; numbers inside them by size. */
export function compareElements(left: PathElement, right: PathElement): number {
  if (left.charCodeAt(0) === fieldCode && right.charCodeAt(0) === fieldCode) return compareScalars(left, right);
  const byRank = ranks.indexOf(left[0] ?? '') - ranks.indexOf(right[0] ?? '');
  if (byRank !== 0) return byRank;
  return compareValues(parseJson(left.slice(2)) as JsonValue, parseJson(right.slice(2)) as JsonValue);
}

function compareValues(left: JsonValue, right: JsonValue): number {
  if (isJsonObject(left) && isJsonObject(right)) return compareLists(entriesOf(left), entriesOf(right));
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  return compareScalars(canonicalJson(left), canonicalJson(right));
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const entriesOf = (object: JsonObject): readonly JsonValue[] =>
  Object.entries(object).flatMap(([key, value]) => [key, value ?? null]);

function compareLists(left: readonly JsonValue[], right: readonly JsonValue[]): number {
  for (const [i, value] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    const order = compareValues(value, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const compareScalars = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
