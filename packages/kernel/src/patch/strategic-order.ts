import type { JsonValue } from '@chandlery/api';
import { getOwn, isJsonObject } from './json-values.ts';

/** What identifies an item: the value of its merge key, or the scalar itself. Text, as Kubernetes compares them. */
export function itemIdentity(item: JsonValue, mergeKey: string | undefined): string | undefined {
  const identity = mergeKey !== undefined && isJsonObject(item) ? getOwn(item, mergeKey) : item;
  if (identity === undefined) return undefined;
  return typeof identity === 'object' ? JSON.stringify(identity) : String(identity);
}

/** Item identities and the position of each one's first appearance. */
type Positions = ReadonlyMap<string | undefined, number>;

function positionsOf(items: readonly JsonValue[], mergeKey: string | undefined): Positions {
  const positions = new Map<string | undefined, number>();
  items.forEach((item, position) => {
    const identity = itemIdentity(item, mergeKey);
    if (!positions.has(identity)) positions.set(identity, position);
  });
  return positions;
}

/** Two lists that say in which order items should stand. */
export interface WantedOrder {
  /** What the client wants; its items keep exactly this order among each other. */
  readonly client: readonly JsonValue[];
  /** What the list looked like before; orders the items that the client does not mention, and places them. */
  readonly live: readonly JsonValue[];
  readonly mergeKey: string | undefined;
}

/**
 * Orders a merged list as kubectl's three-way patches expect: the client's items in the client's order, the others in
 * live order, woven in before the first client item that stood behind them in the live list.
 */
export function orderItems(merged: readonly JsonValue[], { client, live, mergeKey }: WantedOrder): JsonValue[] {
  const identity = (item: JsonValue): string | undefined => itemIdentity(item, mergeKey);
  const clientPositions = positionsOf(client, mergeKey);
  const livePositions = positionsOf(live, mergeKey);
  const isMentioned = (item: JsonValue): boolean => clientPositions.has(identity(item));
  const by = (positions: Positions) => (a: JsonValue, b: JsonValue) =>
    (positions.get(identity(a)) ?? positions.size) - (positions.get(identity(b)) ?? positions.size);

  const mentioned = merged.filter(isMentioned).sort(by(clientPositions));
  const others = merged.filter(item => !isMentioned(item)).sort(by(livePositions));
  return weave(others, mentioned, item => livePositions.get(identity(item)));
}

/** Merges two lists, keeping the order of each; an item of `others` goes first when it is known to stand first. */
function weave(
  others: readonly JsonValue[],
  mentioned: readonly JsonValue[],
  livePosition: (item: JsonValue) => number | undefined,
): JsonValue[] {
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of mentioned) {
    const position = livePosition(item);
    for (; next < others.length; next++) {
      const other = others[next] as JsonValue;
      const otherPosition = livePosition(other);
      if (position === undefined || otherPosition === undefined || otherPosition >= position) break;
      result.push(other);
    }
    result.push(item);
  }
  return result.concat(others.slice(next));
}
