import { type ObjectState, objectStates } from '@chandlery/api';
import type { Entry } from './entry.ts';

/** What something sorts by; undefined sorts last, whatever the direction. */
export type Rank = string | number | undefined;

/** Names with numbers sort as people count: `web-2` before `web-10`. */
const collator = new Intl.Collator('en', { numeric: true });

/** Compares what things sort by. Numbers come before texts: between a number and a text that holds one there is no order. */
function compareRanks(one: string | number, other: string | number): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1;
  return typeof other === 'number' ? 1 : collator.compare(one, other);
}

/** What a collection is sorted by. `urgency`: by state, what was changed last first. A column is known by its `id`. */
export type SortKey =
  | { readonly type: 'key' | 'name' | 'namespace' | 'status' | 'age' | 'changed' | 'urgency' }
  | { readonly type: 'column'; readonly id: string };

/** Larger than any time in milliseconds. */
const urgencyStep = 1e14;

export const positionOf = (state: ObjectState): number => objectStates.indexOf(state);

/** Reads what entries sort by. `slot`: the place of the column in their ranks. */
function rankReaderOf(sort: SortKey, slot: number): (entry: Entry) => Rank {
  switch (sort.type) {
    case 'key':
      return () => 0;
    case 'name':
      return ({ sortName }) => sortName;
    case 'namespace':
      return ({ namespace }) => namespace;
    case 'status':
      return ({ state }) => positionOf(state);
    case 'age':
      return ({ createdAtMs }) => -createdAtMs;
    case 'changed':
      return ({ changedAtMs }) => -changedAtMs;
    case 'urgency':
      return ({ state, changedAtMs }) => positionOf(state) * urgencyStep - changedAtMs;
    case 'column':
      return ({ ranks }) => ranks[slot];
  }
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * A name that compares as people count when it is compared by characters: each number has its length before it. Ten times
 * as fast as to let the collator read the numbers of both names in each comparison.
 */
export const countingText = (name: string): string =>
  name.replace(/0*(\d+)/g, (_, digits: string) => String.fromCharCode(firstDigit + digits.length) + digits);

const firstDigit = '0'.charCodeAt(0);

/** A total order of entries: 0 for the same place alone. */
export type EntryOrder = (one: Entry, other: Entry) => number;

/** By namespace and name, as the store sorts. */
export function compareKeys(one: Pick<Entry, 'namespace' | 'name'>, other: Pick<Entry, 'namespace' | 'name'>): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1;
  return one.name === other.name ? 0 : one.name < other.name ? -1 : 1;
}

interface OrderOptions {
  /** The place of the column in the ranks of entries. Only for columns. */
  readonly slot: number;
  readonly isDescending: boolean;
}

/** The order of entries by a sort. */
export function orderBy(sort: SortKey, { slot, isDescending }: OrderOptions): EntryOrder {
  const compare =
    sort.type === 'name' ? (one: Rank, other: Rank) => compareTexts(String(one), String(other)) : undefined;
  return orderOf(rankReaderOf(sort, slot), isDescending, compare);
}

/** Entries of the same rank, and those without one, which come last, are in key order, whatever the direction. */
export function orderOf(
  rankOf: (entry: Entry) => Rank,
  isDescending: boolean,
  compare: (one: string | number, other: string | number) => number = compareRanks,
): EntryOrder {
  const sign = isDescending ? -1 : 1;
  return (one, other) => {
    const [first, second] = [rankOf(one), rankOf(other)];
    if (first === second) return compareKeys(one, other);
    if (first === undefined || second === undefined) return first === undefined ? 1 : -1;
    return sign * compare(first, second) || compareKeys(one, other);
  };
}
