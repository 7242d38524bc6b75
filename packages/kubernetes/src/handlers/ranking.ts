/** Something with what it sorts by. */
export interface Ranked<T> {
  readonly rank: string | number | undefined;
  readonly item: T;
}

/** Names with numbers sort as people count: `web-2` before `web-10`. */
const collator = new Intl.Collator('en', { numeric: true });

/** Compares what things sort by; undefined comes last. */
export function compareRanks(one: Ranked<unknown>['rank'], other: Ranked<unknown>['rank']): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one), String(other));
}

/**
 * The first items of many by their rank, in bounded memory: items that cannot be among the first are dropped on the way.
 * Items of the same rank stay in the order in which they came.
 */
export class Ranking<T> {
  readonly #limit: number;
  readonly #sign: number;
  #kept: Ranked<T>[] = [];

  constructor(limit: number, { isDescending = false }: { readonly isDescending?: boolean } = {}) {
    this.#limit = limit;
    this.#sign = isDescending ? -1 : 1;
  }

  add(item: T, rank: Ranked<T>['rank']): void {
    this.#kept.push({ rank, item });
    if (this.#kept.length >= 2 * this.#limit + 1) this.#prune();
  }

  /** The first items, in order. */
  first(): readonly T[] {
    this.#prune();
    return this.#kept.map(({ item }) => item);
  }

  #prune(): void {
    const isLast = ({ rank }: Ranked<T>): boolean => rank === undefined;
    const known = this.#kept.filter(entry => !isLast(entry));
    known.sort((one, other) => this.#sign * compareRanks(one.rank, other.rank));
    this.#kept = [...known, ...this.#kept.filter(isLast)].slice(0, this.#limit);
  }
}
