import {
  apiError,
  badRequest,
  type ChandleryError,
  cloneJson,
  getOwn,
  isJsonObject,
  isSameJson,
  type JsonValue,
  setOwn,
} from '@chandlery/api';
import { parseIndex, parsePointer } from './json-pointer.ts';
import { jsonSize } from './json-values.ts';

/** Kubernetes' own bound on the length of a patch. */
const maxOperations = 10_000;
/** `copy` may add this much in all: a short patch must not be able to blow up a document exponentially. */
const maxCopiedBytes = 3 * 1024 * 1024;
/**
 * Insertions and removals may move this many list items in all. Each moves all items behind it; so many take about
 * 20 ms, and every tenant waits meanwhile.
 */
const maxMovedItems = 100_000_000;

type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: readonly string[]; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: readonly string[] }
  | { readonly op: 'move' | 'copy'; readonly path: readonly string[]; readonly from: readonly string[] };

/** The document under change. `copied` counts towards {@link maxCopiedBytes}, `moved` towards {@link maxMovedItems}. */
interface Draft {
  root: JsonValue;
  copied: number;
  moved: number;
}

/**
 * Applies an RFC 6902 patch; neither argument is changed, and it is all or nothing.
 *
 * Throws `BadRequest` for a malformed patch, `Invalid` when an operation does not fit the document (a missing path, a
 * failing test), `RequestEntityTooLarge` for patches that would cost too much.
 */
export function applyJsonPatch(document: JsonValue, patch: unknown): JsonValue {
  const operations = parseOperations(patch);
  const draft: Draft = { root: cloneJson(document), copied: 0, moved: 0 };
  for (const operation of operations) applyOperation(draft, operation);
  return draft.root;
}

function parseOperations(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be a list of operations');
  if (patch.length > maxOperations) {
    throw tooLarge(`a JSON patch may have at most ${maxOperations} operations, got ${patch.length}`);
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown, position: number): Operation {
  const malformed = (why: string): ChandleryError => badRequest(`invalid JSON patch: operation ${position}: ${why}`);
  if (!isJsonObject(operation)) throw malformed('must be an object');
  const { op } = operation;
  const path = parsePointer(pointerOf(operation.path) ?? fail(malformed('"path" must be a string')));
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      const value = getOwn(operation, 'value');
      if (value === undefined) throw malformed(`"${op}" needs a "value"`);
      return { op, path, value };
    }
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy': {
      const from = parsePointer(pointerOf(operation.from) ?? fail(malformed(`"${op}" needs a "from" string`)));
      return { op, path, from };
    }
    default:
      throw malformed(`unknown "op" ${JSON.stringify(op) ?? '(missing)'}`);
  }
}

const pointerOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function fail(error: ChandleryError): never {
  throw error;
}

function applyOperation(draft: Draft, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      return add(draft, operation.path, cloneJson(operation.value));
    case 'remove':
      remove(draft, operation.path);
      return;
    case 'replace':
      return replace(draft, operation.path, cloneJson(operation.value));
    case 'move':
      return move(draft, operation.from, operation.path);
    case 'copy':
      return add(draft, operation.path, copyOf(draft, operation.from));
    case 'test':
      return test(draft, operation.path, operation.value);
  }
}

function add(draft: Draft, path: readonly string[], value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) {
    draft.root = value;
    return;
  }
  const parent = parentOf(draft, path);
  if (!Array.isArray(parent)) return setOwn(parent, last, value);
  const index = last === '-' ? parent.length : parseIndex(last);
  if (index === undefined || index > parent.length) throw missing(path);
  chargeMoves(draft, parent.length - index);
  parent.splice(index, 0, value);
}

function remove(draft: Draft, path: readonly string[]): JsonValue {
  const last = path.at(-1);
  if (last === undefined) throw notApplicable('the whole document cannot be removed');
  const value = read(draft.root, path);
  const parent = parentOf(draft, path);
  if (Array.isArray(parent)) {
    chargeMoves(draft, parent.length - Number(last));
    parent.splice(Number(last), 1);
  } else delete parent[last];
  return value;
}

function replace(draft: Draft, path: readonly string[], value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) {
    draft.root = value;
    return;
  }
  read(draft.root, path);
  const parent = parentOf(draft, path);
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else setOwn(parent, last, value);
}

function move(draft: Draft, from: readonly string[], path: readonly string[]): void {
  const isInside = from.length < path.length && from.every((token, i) => token === path[i]);
  if (isInside) throw notApplicable(`${print(from)} cannot be moved into itself`);
  if (from.length === 0 && path.length === 0) return;
  add(draft, path, remove(draft, from));
}

function chargeMoves(draft: Draft, items: number): void {
  draft.moved += items;
  if (draft.moved <= maxMovedItems) return;
  throw tooLarge(`a JSON patch may move at most ${maxMovedItems} list items; replace the list as a whole instead`);
}

function copyOf(draft: Draft, from: readonly string[]): JsonValue {
  const value = read(draft.root, from);
  draft.copied += jsonSize(value);
  if (draft.copied > maxCopiedBytes) throw tooLarge(`a JSON patch may copy at most ${maxCopiedBytes} bytes`);
  return cloneJson(value);
}

function test(draft: Draft, path: readonly string[], expected: JsonValue): void {
  if (isSameJson(read(draft.root, path), expected)) return;
  throw notApplicable(`test failed: ${print(path)} has another value`);
}

/** The map or list that holds the last token of the path. */
function parentOf(draft: Draft, path: readonly string[]): Extract<JsonValue, object> {
  const parent = read(draft.root, path.slice(0, -1));
  if (typeof parent !== 'object' || parent === null) throw missing(path);
  return parent;
}

function read(root: JsonValue, path: readonly string[]): JsonValue {
  let value: JsonValue | undefined = root;
  for (const token of path) {
    value = step(value, token);
    if (value === undefined) throw missing(path);
  }
  return value;
}

function step(value: JsonValue, token: string): JsonValue | undefined {
  if (isJsonObject(value)) return getOwn(value, token);
  const index = parseIndex(token);
  return Array.isArray(value) && index !== undefined ? value[index] : undefined;
}

const print = (path: readonly string[]): string => JSON.stringify(path.map(token => `/${token}`).join(''));

const missing = (path: readonly string[]): ChandleryError => notApplicable(`path ${print(path)} does not exist`);

const notApplicable = (why: string): ChandleryError => apiError('Invalid', `cannot apply JSON patch: ${why}`);

const tooLarge = (why: string): ChandleryError => apiError('RequestEntityTooLarge', `Request entity too large: ${why}`);
