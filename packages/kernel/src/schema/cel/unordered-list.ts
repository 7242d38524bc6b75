import { canonicalJson, type StructuralSchema } from '@chandlery/api';
import { escapeName } from './names.ts';

/** Marks a list whose order has no meaning, with the identity of its items. */
export const unorderedBy: unique symbol = Symbol('unordered by');

type Identify = (item: unknown) => string;

/** A list of `x-kubernetes-list-type` set or map; any other list when it has no mark. */
export interface UnorderedList extends Array<unknown> {
  [unorderedBy]?: Identify;
}

/** The identity of items of sets and maps; undefined where order counts. */
export function identityOf(schema: StructuralSchema): Identify | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return showIdentity;
    case 'map': {
      const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map(key => escapeName(key) ?? '');
      return item => JSON.stringify(keys.map(key => showIdentity(item instanceof Map ? item.get(key) : undefined)));
    }
    case 'atomic':
    case undefined:
      return undefined;
  }
}

function showIdentity(value: unknown): string {
  if (value instanceof Map) return showIdentity(Object.fromEntries(value));
  return typeof value === 'bigint' ? `${value}` : canonicalJson(value);
}

/** A sum of sets is their union; in one of maps, the items of the second replace those of the first. Undefined for other lists. */
export function mergeLists(left: unknown, right: unknown): UnorderedList | undefined {
  if (!isList(left) || !isList(right)) return undefined;
  const identify = left[unorderedBy];
  if (identify === undefined) return undefined;
  const merged: UnorderedList = [...new Map([...left, ...right].map(item => [identify(item), item])).values()];
  merged[unorderedBy] = identify;
  return merged;
}

const isList = (value: unknown): value is UnorderedList => Array.isArray(value);
