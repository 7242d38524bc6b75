import type { Logger } from '@chandlery/platform';
import { IndexMap, type TermsOf } from './index-map.ts';
import { OrderedRows, type Placed } from './ordered-rows.ts';
import { type QuerySource, queryRows } from './query-rows.ts';
import type { RowChange, Table, TablePage, TableQuery } from './registry.ts';
import { RowWaiters } from './row-waiters.ts';

/** What a table needs to know of its rows. */
export interface TableRow extends Placed {
  readonly uid: string;
  readonly revision: number;
}

/** What happened to a table, to be told to its listeners once everything that belongs together has happened. */
export type Changes<R> = readonly RowChange<R>[];

/** How a table is made. */
export interface MemoryTableOptions<R> {
  /** All indexes by name. */
  readonly indexes: Readonly<Record<string, TermsOf<R>>>;
  readonly logger: Logger;
  /** Shows elsewhere what follows from a change, as it happens; answers how to tell of it. Default: nothing follows. */
  readonly mirror?: Mirror<R>;
}

/** What follows from a change in another table. Undefined: nothing. */
export type Mirror<R> = (change: RowChange<R>) => (() => void) | undefined;

/** All rows of a kind in memory. Changing it and telling of the change are two steps: see {@link Changes}. */
export class MemoryTable<R extends TableRow, Index extends string = string> implements Table<R, Index> {
  readonly #rows = new Map<string, R>();
  readonly #order = new OrderedRows<R>();
  readonly #indexes: ReadonlyMap<string, IndexMap<R>>;
  readonly #listeners = new Set<(change: RowChange<R>) => void>();
  readonly #waiters = new RowWaiters<R>();
  readonly #source: QuerySource<R>;
  readonly #logger: Logger;
  readonly #mirror: Mirror<R>;
  /** How to tell of what follows from changes that are not told yet. */
  readonly #echoes = new WeakMap<RowChange<R>, () => void>();

  constructor({ indexes, logger, mirror = () => undefined }: MemoryTableOptions<R>) {
    this.#indexes = new Map(Object.entries(indexes).map(([name, termsOf]) => [name, new IndexMap(termsOf)]));
    this.#logger = logger;
    this.#mirror = mirror;
    this.#source = { all: this.#order, indexOf: name => this.#index(name) };
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): R | undefined {
    return this.#rows.get(id);
  }

  by(index: string, value: string): Iterable<R> {
    return this.#index(index).each(value);
  }

  count(index: string, value: string): number {
    return this.#index(index).count(value);
  }

  all(): Iterable<R> {
    return this.#order;
  }

  query(query: TableQuery<R, Index>): TablePage<R> {
    return queryRows(this.#source, query);
  }

  listen(listener: (change: RowChange<R>) => void): () => void {
    // A function of its own: the same listener may be added twice.
    const entry = (change: RowChange<R>): void => listener(change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async until(id: string, test: (row: R | undefined) => boolean, signal: AbortSignal): Promise<R | undefined> {
    signal.throwIfAborted();
    const row = this.get(id);
    return test(row) ? row : this.#waiters.wait(id, test, signal);
  }

  /** Adds a row, or replaces the one of its id. */
  put(row: R): Changes<R> {
    return this.putAfter(this.#rows.get(row.id), row);
  }

  /** As {@link put}, for whoever has looked already what is there. */
  putAfter(previous: R | undefined, row: R): Changes<R> {
    if (previous !== undefined && previous.uid !== row.uid) return [...this.remove(row.id), ...this.put(row)];
    if (previous !== undefined && previous.createdAt !== row.createdAt) this.#order.remove(previous);
    this.#rows.set(row.id, row);
    this.#order.put(row);
    for (const index of this.#indexes.values()) index.put(row, previous);
    return this.#changed(previous === undefined ? { type: 'added', row } : { type: 'changed', row, previous });
  }

  /** Takes a row away. */
  remove(id: string): Changes<R> {
    const row = this.#rows.get(id);
    if (row === undefined) return [];
    this.#rows.delete(id);
    this.#order.remove(row);
    for (const index of this.#indexes.values()) index.remove(row);
    return this.#changed({ type: 'removed', row, previous: row });
  }

  /** Tells listeners what has happened. One that throws, against the rules, does not keep the others from hearing it. */
  tell(changes: Changes<R>): void {
    for (const change of changes) {
      for (const listener of this.#listeners) this.#tellOne(listener, change);
      this.#waiters.tell(change.row.id, change.type === 'removed' ? undefined : change.row);
      this.#echoes.get(change)?.();
    }
  }

  #changed(change: RowChange<R>): Changes<R> {
    const echo = this.#mirror(change);
    if (echo !== undefined) this.#echoes.set(change, echo);
    return [change];
  }

  #tellOne(listener: (change: RowChange<R>) => void, change: RowChange<R>): void {
    try {
      listener(change);
    } catch (error) {
      this.#logger.error('a listener of the registry failed', { id: change.row.id, error });
    }
  }

  #index(name: string): IndexMap<R> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new TypeError(`there is no index "${name}"`);
    return index;
  }
}
