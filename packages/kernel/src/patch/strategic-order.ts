import { getOwn, isJsonObject, type JsonValue } from '@chandlery/api';

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

/** An item with its positions in both lists, worked out once: identities of large items are long texts. */
interface Placed {
  readonly item: JsonValue;
  readonly client: number | undefined;
  readonly live: number | undefined;
}

/**
 * Orders a merged list as kubectl's three-way patches expect: the client's items in the client's order, the others in
 * live order, woven in before the first client item that stood behind them in the live list.
 */
export function orderItems(merged: readonly JsonValue[], { client, live, mergeKey }: WantedOrder): JsonValue[] {
  const clientPositions = positionsOf(client, mergeKey);
  const livePositions = positionsOf(live, mergeKey);
  const placed = merged.map((item): Placed => {
    const identity = itemIdentity(item, mergeKey);
    return { item, client: clientPositions.get(identity), live: livePositions.get(identity) };
  });
  const mentioned = placed.filter(({ client }) => client !== undefined).sort((a, b) => compare(a.client, b.client));
  const others = placed.filter(({ client }) => client === undefined).sort((a, b) => compare(a.live, b.live));
  return weave(others, mentioned);
}

/** Positions in order; what has none stands last. */
const compare = (left = maxPosition, right = maxPosition): number => left - right;

const maxPosition = Number.MAX_SAFE_INTEGER;

/** Merges two lists, keeping the order of each; an item of `others` goes first when it is known to stand first. */
function weave(others: readonly Placed[], mentioned: readonly Placed[]): JsonValue[] {
  const result: JsonValue[] = [];
  let next = 0;
  for (const { item, live } of mentioned) {
    for (; next < others.length; next++) {
      const other = others[next];
      if (other?.live === undefined || live === undefined || other.live >= live) break;
      result.push(other.item);
    }
    result.push(item);
  }
  for (; next < others.length; next++) result.push((others[next] as Placed).item);
  return result;
}
