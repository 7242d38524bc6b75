import type { Table } from '@chandlery/registry';

/** What a row adds, and to whose sum. */
export interface Addend {
  readonly key: string;
  readonly amount: number;
}

/** Sums over the rows of a table by a key, kept up to date by change. */
export class TableSum<R> implements Disposable {
  readonly #addendOf: (row: R) => Addend;
  readonly #sums = new Map<string, number>();
  readonly #stop: () => void;

  constructor(table: Pick<Table<R>, 'all' | 'listen'>, addendOf: (row: R) => Addend) {
    this.#addendOf = addendOf;
    for (const row of table.all()) this.#add(row, 1);
    this.#stop = table.listen(({ type, row, previous }) => {
      if (previous !== undefined) this.#add(previous, -1);
      if (type !== 'removed') this.#add(row, 1);
    });
  }

  /** The sum of a key; 0 for one that no row has. */
  of(key: string): number {
    return this.#sums.get(key) ?? 0;
  }

  /** The keys whose sum is not 0, and their sums. */
  entries(): Iterable<readonly [string, number]> {
    return this.#sums;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #add(row: R, sign: 1 | -1): void {
    const { key, amount } = this.#addendOf(row);
    const sum = this.of(key) + sign * amount;
    if (sum === 0) this.#sums.delete(key);
    else this.#sums.set(key, sum);
  }
}
