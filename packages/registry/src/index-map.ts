import { comparePlaces, OrderedRows, type Placed } from './ordered-rows.ts';

/** The values under which a row is found; several for those that have several. Undefined: it is not in the index. */
export type TermsOf<R> = (row: R) => string | readonly string[] | undefined;

const none: readonly never[] = [];

/**
 * Rows by a value that they have. Most values of most indexes belong to one row, so a single row is kept without a collection
 * around it.
 */
export class IndexMap<R extends Placed> {
  readonly #termsOf: TermsOf<R>;
  readonly #buckets = new Map<string, R | OrderedRows<R>>();
  #isDisjoint = true;

  constructor(termsOf: TermsOf<R>) {
    this.#termsOf = termsOf;
  }

  /** Whether no row has been under more than one value so far. */
  get isDisjoint(): boolean {
    return this.#isDisjoint;
  }

  /** The rows under a value, in order. Not to be changed by the caller. */
  rows(term: string): OrderedRows<R> {
    const bucket = this.#buckets.get(term);
    if (bucket instanceof OrderedRows) return bucket;
    const rows = new OrderedRows<R>();
    if (bucket !== undefined) rows.put(bucket);
    return rows;
  }

  /** As {@link rows} for iterating only: allocates no collection for a value of a single row. */
  each(term: string): Iterable<R> {
    const bucket = this.#buckets.get(term);
    if (bucket instanceof OrderedRows) return bucket;
    return bucket === undefined ? none : [bucket];
  }

  count(term: string): number {
    const bucket = this.#buckets.get(term);
    if (bucket === undefined) return 0;
    return bucket instanceof OrderedRows ? bucket.size : 1;
  }

  /** Whether a row is under one of the values. */
  has(row: R, terms: ReadonlySet<string>): boolean {
    return this.#listTerms(row).some(term => terms.has(term));
  }

  /** Puts a row where it belongs. `previous` is the same row as it was. */
  put(row: R, previous: R | undefined): void {
    const terms = this.#listTerms(row);
    if (previous !== undefined) this.#removeFrom(this.#obsolete(previous, row, terms), previous);
    if (terms.length > 1) this.#isDisjoint = false;
    for (const term of terms) this.#add(term, row);
  }

  remove(row: R): void {
    this.#removeFrom(this.#listTerms(row), row);
  }

  #listTerms(row: R): readonly string[] {
    const terms = this.#termsOf(row);
    if (terms === undefined) return [];
    return typeof terms === 'string' ? [terms] : terms;
  }

  /** Under which values the row is no longer found where it was. */
  #obsolete(previous: R, row: R, terms: readonly string[]): readonly string[] {
    const known = this.#listTerms(previous);
    if (comparePlaces(previous, row) !== 0) return known;
    return known.filter(term => !terms.includes(term));
  }

  #add(term: string, row: R): void {
    const bucket = this.#buckets.get(term);
    if (bucket instanceof OrderedRows) return bucket.put(row);
    if (bucket === undefined || comparePlaces(bucket, row) === 0) {
      this.#buckets.set(term, row);
      return;
    }
    const rows = new OrderedRows<R>();
    for (const each of [bucket, row]) rows.put(each);
    this.#buckets.set(term, rows);
  }

  #removeFrom(terms: readonly string[], row: R): void {
    for (const term of terms) {
      const bucket = this.#buckets.get(term);
      if (bucket === undefined) continue;
      if (!(bucket instanceof OrderedRows)) {
        if (comparePlaces(bucket, row) === 0) this.#buckets.delete(term);
        continue;
      }
      bucket.remove(row);
      const only = bucket.size === 1 ? bucket.first() : undefined;
      if (only !== undefined) this.#buckets.set(term, only);
    }
  }
}
