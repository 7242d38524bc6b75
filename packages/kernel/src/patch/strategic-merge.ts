import {
  badRequest,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type StructuralSchema,
  setOwn,
} from '@chandlery/api';
import { compileMembership } from './json-values.ts';
import { isDirectiveItem, type ParsedPatch, parsePatch, patchMode } from './strategic-directives.ts';
import { itemIdentity, orderItems } from './strategic-order.ts';
import { type FieldStrategy, fieldStrategy } from './strategic-schema.ts';

/**
 * Applies a Kubernetes strategic merge patch: a merge patch whose lists merge as the schema's
 * `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key` say, with `$…` directives inside the patch.
 *
 * Neither argument is changed; the result may share parts with both. Throws `BadRequest` for malformed patches.
 */
export function applyStrategicMerge(original: JsonObject, patch: JsonObject, schema: StructuralSchema): JsonObject {
  return mergeMap(original, patch, schema);
}

function mergeMap(original: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): JsonObject {
  const parsed = parsePatch(patch, schema);
  if (parsed.mode === 'delete') return {};
  const result = parsed.mode === 'replace' ? {} : retained(original, parsed);
  for (const field of parsed.order.keys()) reorderField(result, patch, parsed, schema, field);
  for (const field of parsed.fields) {
    if (!parsed.order.has(field) || !Array.isArray(patch[field])) mergeField(result, patch, schema, field);
  }
  for (const [field, values] of parsed.deletions) deleteScalars(result, field, values);
  return result;
}

function retained(original: JsonObject, { retainKeys }: ParsedPatch): JsonObject {
  const result = { ...original };
  if (retainKeys === undefined) return result;
  for (const key of Object.keys(result)) if (!retainKeys.has(key)) delete result[key];
  return result;
}

function mergeField(result: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined, field: string): void {
  const change = patch[field];
  if (change === undefined) return;
  if (change === null) delete result[field];
  else setOwn(result, field, mergeValue(getOwn(result, field), change, fieldStrategyOf(schema, field, change)));
}

const fieldStrategyOf = (schema: StructuralSchema | undefined, field: string, value: JsonValue): FieldStrategy =>
  fieldStrategy(schema, field, Array.isArray(value));

function mergeValue(original: JsonValue | undefined, change: JsonValue, strategy: FieldStrategy): JsonValue {
  const { schema, merges } = strategy;
  // Merging into nothing, rather than taking the patch as it is, keeps directives and nulls out of the object.
  if (isJsonObject(change)) return mergeMap(merges && isJsonObject(original) ? original : {}, change, schema);
  if (!Array.isArray(change)) return change;
  if (!merges) return withoutDirectives(change, schema);
  return mergeList(Array.isArray(original) ? original : [], change, strategy);
}

function mergeList(original: readonly JsonValue[], patch: readonly JsonValue[], strategy: FieldStrategy): JsonValue[] {
  if (patch.length === 0) return [...original];
  if (!patch.some(isJsonObject)) return mergeScalars(original, patch, strategy.mergeKey);
  const { mergeKey, schema } = strategy;
  if (mergeKey === undefined) throw badRequest('cannot merge a list of objects whose schema has no merge key');
  if (patch.some(item => isJsonObject(item) && patchMode(item) === 'replace')) return withoutDirectives(patch, schema);
  const merged = mergeItems(original, patch, mergeKey, schema);
  return orderItems(merged, { client: patch, live: original, mergeKey });
}

function mergeScalars(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] {
  const merged = new Map<string | undefined, JsonValue>();
  for (const item of [...original, ...patch]) {
    const identity = itemIdentity(item, mergeKey);
    if (!merged.has(identity)) merged.set(identity, item);
  }
  return orderItems([...merged.values()], { client: patch, live: original, mergeKey });
}

/** Original items with the patch's changes, then the new ones. Linear in both lists. */
function mergeItems(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
  schema: StructuralSchema | undefined,
): JsonValue[] {
  // Deleted items leave a hole until the end: closing each at once would move the rest of the list every time.
  const merged: (JsonValue | undefined)[] = [...original];
  const positions = indexItems(original, mergeKey);
  for (const item of patch) {
    const identity = isJsonObject(item) && getOwn(item, mergeKey) !== null ? itemIdentity(item, mergeKey) : undefined;
    if (!isJsonObject(item) || identity === undefined)
      throw badRequest(`patch list item lacks merge key "${mergeKey}"`);
    const same = positions.get(identity) ?? [];
    const [first] = same;
    const match = first === undefined ? undefined : merged[first];
    if (patchMode(item) === 'delete') {
      for (const position of same) merged[position] = undefined;
      positions.delete(identity);
    } else if (first !== undefined && isJsonObject(match)) {
      merged[first] = mergeMap(match, item, schema);
    } else {
      same.push(merged.push(mergeMap({}, item, schema)) - 1);
      positions.set(identity, same);
    }
  }
  return merged.filter(item => item !== undefined);
}

/** The positions of items by their identity, each in ascending order. */
function indexItems(items: readonly JsonValue[], mergeKey: string): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, item] of items.entries()) {
    const identity = itemIdentity(item, mergeKey);
    if (identity === undefined) continue;
    const same = positions.get(identity);
    if (same === undefined) positions.set(identity, [position]);
    else same.push(position);
  }
  return positions;
}

/** Handles `$setElementOrder/<field>` together with the field's own patch, if there is one. */
function reorderField(
  result: JsonObject,
  patch: JsonObject,
  { order }: ParsedPatch,
  schema: StructuralSchema | undefined,
  field: string,
): void {
  const client = order.get(field) ?? [];
  const live = getOwn(result, field);
  const change = getOwn(patch, field);
  const strategy = fieldStrategy(schema, field, true);
  if (Array.isArray(change)) {
    requireOrder(field, change, client, strategy.mergeKey);
    mergeField(result, patch, schema, field);
  }
  const merged = getOwn(result, field);
  if (!Array.isArray(merged)) return;
  const { mergeKey } = strategy;
  setOwn(result, field, orderItems(merged, { client, live: Array.isArray(live) ? live : [], mergeKey }));
}

/** A patch whose list contradicts its own order directive was computed wrongly; better rejected than guessed. */
function requireOrder(
  field: string,
  change: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string | undefined,
): void {
  const wanted = order.map(item => itemIdentity(item, mergeKey));
  let from = 0;
  for (const item of change) {
    if (isDirectiveItem(item)) continue;
    const position = wanted.indexOf(itemIdentity(item, mergeKey), from);
    if (position < 0)
      throw badRequest(`the order of patch list "${field}" does not match its $setElementOrder directive`);
    from = position + 1;
  }
}

function deleteScalars(result: JsonObject, field: string, values: readonly JsonValue[]): void {
  const list = getOwn(result, field);
  if (!Array.isArray(list)) return;
  const isDeleted = compileMembership(values);
  setOwn(
    result,
    field,
    list.filter(item => !isDeleted(item)),
  );
}

function withoutDirectives(items: readonly JsonValue[], schema: StructuralSchema | undefined): JsonValue[] {
  return items
    .filter(item => !isDirectiveItem(item))
    .map(item => (isJsonObject(item) ? mergeMap({}, item, schema) : item));
}
