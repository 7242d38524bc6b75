import {
  badRequest,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type StructuralSchema,
} from '@chandlery/api';
import { mayHaveField } from './strategic-schema.ts';

const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

/** A patch map, taken apart: ordinary fields and what the `$…` keys say about them. */
export interface ParsedPatch {
  readonly mode: PatchMode;
  readonly fields: readonly string[];
  /** Wanted order of list items, by field. */
  readonly order: ReadonlyMap<string, readonly JsonValue[]>;
  /** Scalars to delete from lists, by field. */
  readonly deletions: ReadonlyMap<string, readonly JsonValue[]>;
  /** When given, other fields of the original disappear. */
  readonly retainKeys: ReadonlySet<string> | undefined;
}

export type PatchMode = 'merge' | 'replace' | 'delete';

/** Reads the directives of a patch map. Throws `BadRequest` for those that are unknown or malformed. */
export function parsePatch(patch: JsonObject, schema: StructuralSchema | undefined): ParsedPatch {
  const fields: string[] = [];
  const order = new Map<string, readonly JsonValue[]>();
  const deletions = new Map<string, readonly JsonValue[]>();
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined || key === '$patch' || key === '$retainKeys') continue;
    if (key.startsWith(deletePrefix)) deletions.set(key.slice(deletePrefix.length), listOf(key, value));
    else if (key.startsWith(orderPrefix)) order.set(key.slice(orderPrefix.length), listOf(key, value));
    else if (key.startsWith('$') && !mayHaveField(schema, key)) throw badRequest(`unknown patch directive "${key}"`);
    else fields.push(key);
  }
  return { mode: patchMode(patch), fields, order, deletions, retainKeys: retainKeys(patch, fields) };
}

/** The `$patch` directive of a map or list item; `merge` without one. */
export function patchMode(patch: JsonObject): PatchMode {
  const mode = getOwn(patch, '$patch');
  if (mode === undefined) return 'merge';
  if (mode === 'merge' || mode === 'replace' || mode === 'delete') return mode;
  throw badRequest(`unknown patch type found: ${JSON.stringify(mode)}`);
}

function retainKeys(patch: JsonObject, fields: readonly string[]): ReadonlySet<string> | undefined {
  const directive = getOwn(patch, '$retainKeys');
  if (directive === undefined) return undefined;
  const retained = new Set(listOf('$retainKeys', directive).map(String));
  const stray = fields.find(field => patch[field] !== null && !retained.has(field));
  if (stray !== undefined) throw badRequest(`patch sets "${stray}", which its $retainKeys does not list`);
  return retained;
}

function listOf(directive: string, value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw badRequest(`patch directive "${directive}" must be a list`);
}

/** True for a list item that only says what to do with the list. */
export const isDirectiveItem = (item: JsonValue): boolean => isJsonObject(item) && patchMode(item) !== 'merge';
