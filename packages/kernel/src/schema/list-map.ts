import { canonicalJson, isRecord } from '@chandlery/api';

/** Indexes the items of a list-map by its keys: the result finds the item that has the keys of another. */
export function indexByKeys(list: readonly unknown[], keys: readonly string[]): (item: unknown) => unknown {
  const identify = (item: unknown): string => canonicalJson(keys.map(key => (isRecord(item) ? item[key] : null)));
  const items = new Map(list.map(item => [identify(item), item]));
  return item => items.get(identify(item));
}
