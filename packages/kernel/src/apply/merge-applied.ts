import { getOwn, isSameJson, type JsonObject, type JsonValue, setOwn } from '@chandlery/api';
import type { PathElement } from './field-path.ts';
import { fieldSchema, groupItems, itemElements, type MaybeSchema, shapeOf } from './schema-walk.ts';

/**
 * Merges an applied configuration into the live object: maps and associative lists part by part, everything else as a
 * whole. Neither argument is changed; the result shares what it can with both.
 */
export function mergeApplied(live: JsonObject, applied: JsonObject, schema: MaybeSchema): JsonObject {
  let result: JsonObject | undefined;
  for (const key of Object.keys(applied)) {
    const value = applied[key];
    if (value === undefined) continue;
    const before = getOwn(live, key);
    const merged = mergeValues(before, value, fieldSchema(schema, key));
    if (merged === before) continue;
    result ??= { ...live };
    setOwn(result, key, merged);
  }
  return result ?? live;
}

function mergeValues(live: JsonValue | undefined, applied: JsonValue, schema: MaybeSchema): JsonValue {
  if (live === undefined || live === null) return applied;
  const shape = shapeOf(live, schema);
  if (applied === null) return shape !== 'leaf' && !isEmpty(live) ? live : null;
  if (shape !== shapeOf(applied, schema)) return applied;
  if (shape === 'leaf') return isSameJson(live, applied) ? live : applied;
  if (shape === 'map') return mergeApplied(live as JsonObject, applied as JsonObject, schema);
  return mergeLists(live as JsonValue[], applied as JsonValue[], schema);
}

const isEmpty = (container: JsonValue): boolean => Object.keys(container as JsonObject).length === 0;

/**
 * Merges associative lists. The applier's items come in the applier's order; items that only live has keep their place
 * relative to the neighbours that both have.
 */
function mergeLists(live: JsonValue[], applied: readonly JsonValue[], schema: MaybeSchema): JsonValue[] {
  const liveItems = groupItems(live, schema);
  const liveOrder = [...liveItems.keys()];
  const appliedOrder = itemElements(applied, schema);
  const isApplied = new Set(appliedOrder);
  const anchors = nextShared(appliedOrder, liveItems);
  const merged: JsonValue[] = [];
  let next = 0;
  const takeLiveUntil = (anchor: PathElement | undefined): void => {
    for (; next < liveOrder.length && liveOrder[next] !== anchor; next++) {
      const element = liveOrder[next] as PathElement;
      if (!isApplied.has(element)) merged.push(...(liveItems.get(element) ?? []));
    }
  };
  for (const [i, element] of appliedOrder.entries()) {
    takeLiveUntil(anchors[i]);
    merged.push(mergeItem(liveItems.get(element), applied[i] as JsonValue, schema));
    if (liveOrder[next] === element) next++;
  }
  takeLiveUntil(undefined);
  const isUnchanged = merged.length === live.length && merged.every((item, i) => item === live[i]);
  return isUnchanged ? live : merged;
}

/** For each applied item the first one, from there on, that live has too. */
function nextShared(
  order: readonly PathElement[],
  live: ReadonlyMap<PathElement, unknown>,
): (PathElement | undefined)[] {
  const anchors: (PathElement | undefined)[] = [];
  let anchor: PathElement | undefined;
  for (let i = order.length - 1; i >= 0; i--) {
    const element = order[i] as PathElement;
    if (live.has(element)) anchor = element;
    anchors[i] = anchor;
  }
  return anchors;
}

/** Live duplicates cannot be merged with; the applied item takes the place of all of them. */
function mergeItem(live: readonly JsonValue[] | undefined, applied: JsonValue, schema: MaybeSchema): JsonValue {
  return mergeValues(live?.length === 1 ? live[0] : undefined, applied, schema?.items);
}
