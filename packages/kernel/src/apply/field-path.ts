import { badRequest, canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@chandlery/api';

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

/** The kinds of steps in the order in which Kubernetes lists them. The `.` of a node itself comes before all of them. */
const ranks = 'fkvi';

/** The code of the `f` that starts the most frequent kind of step. */
const fieldCode = ranks.charCodeAt(0);

/** The order in which Kubernetes lists steps: fields, keys, values, indexes; numbers inside them by size. */
export function sortElements(elements: readonly PathElement[]): readonly PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every(isPlain)) return isAscending(elements, compareTexts) ? elements : [...elements].sort();
  const sortable = elements.map(toSortable);
  if (isAscending(sortable, compareSortables)) return elements;
  return sortable.sort(compareSortables).map(({ element }) => element);
}

/** A step that is compared as the text it is. */
const isPlain = (element: PathElement): boolean => element.charCodeAt(0) === fieldCode || element === '.';

function isAscending<T>(items: readonly T[], compare: (left: T, right: T) => number): boolean {
  for (let i = 1; i < items.length; i++) if (compare(items[i - 1] as T, items[i] as T) > 0) return false;
  return true;
}

/** A step whose JSON has been parsed, once for all comparisons. */
interface Sortable {
  readonly element: PathElement;
  readonly rank: number;
  readonly part: Part;
}

/** A value to compare: numbers by size, objects by their entries, all others by their canonical text. */
type Part = number | bigint | string | { readonly text: string; readonly entries: readonly Part[] };

function toSortable(element: PathElement): Sortable {
  const rank = ranks.indexOf(element[0] ?? '');
  const isText = isPlain(element) || element.startsWith('"', 2);
  return { element, rank, part: isText ? element.slice(2) : toPart(parseJson(element.slice(2)) as JsonValue) };
}

function toPart(value: JsonValue): Part {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (!isJsonObject(value)) return canonicalJson(value);
  const entries = Object.entries(value).flatMap(([key, child]) => [JSON.stringify(key), toPart(child ?? null)]);
  return { text: canonicalJson(value), entries };
}

const compareSortables = (left: Sortable, right: Sortable): number =>
  left.rank - right.rank || compareParts(left.part, right.part);

function compareParts(left: Part, right: Part): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (typeof left === 'object' && typeof right === 'object') return compareLists(left.entries, right.entries);
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  return compareTexts(textOf(left), textOf(right));
}

const isNumber = (part: Part): part is number | bigint => typeof part === 'number' || typeof part === 'bigint';

const textOf = (part: Part): string =>
  typeof part === 'string' ? part : isNumber(part) ? JSON.stringify(part) : part.text;

function compareLists(left: readonly Part[], right: readonly Part[]): number {
  for (const [i, part] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
