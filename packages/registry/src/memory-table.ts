import type { Logger } from '@chandlery/platform';
import { IndexMap, type TermsOf } from './index-map.ts';
import { OrderedRows, type Placed } from './ordered-rows.ts';
import { type QuerySource, queryRows } from './query-rows.ts';
import { RowWaiters } from './row-waiters.ts';
import type { NewestRange, RowChange, Table, TablePage, TableQuery } from './table.ts';

/** The fields of a row that a table reads itself. */
export interface TableRow extends Placed {
  readonly uid: string;
  readonly revision: number;
}

/** Changes of a table of which its listeners are to be notified once the whole commit shows. */
export type Changes<R> = readonly RowChange<R>[];

/** How a table is made. */
export interface MemoryTableOptions<R> {
  /** All indexes by name. */
  readonly indexes: Readonly<Record<string, TermsOf<R>>>;
  readonly logger: Logger;
  /** Called with every change as it happens. Default: nothing follows from changes. */
  readonly mirror?: Mirror<R>;
}

/** Changes other tables as a change requires, and returns how to notify their listeners. Undefined: nothing follows. */
export type Mirror<R> = (change: RowChange<R>) => (() => void) | undefined;

/** All rows of a kind in memory. A change and the notification of its listeners are two steps: see {@link Changes}. */
export class MemoryTable<R extends TableRow, IndexName extends string = string> implements Table<R, IndexName> {
  readonly #rows = new Map<string, R>();
  readonly #order = new OrderedRows<R>();
  readonly #indexes: ReadonlyMap<string, IndexMap<R>>;
  readonly #listeners = new Set<(change: RowChange<R>) => void>();
  readonly #waiters = new RowWaiters<R>();
  readonly #source: QuerySource<R>;
  readonly #logger: Logger;
  readonly #mirror: Mirror<R>;
  /** How to notify the listeners of mirrors, by changes whose own listeners are not notified yet. */
  readonly #mirrored = new WeakMap<RowChange<R>, () => void>();

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

  newestFirst({ where, before }: NewestRange<IndexName> = {}): Iterable<R> {
    const rows = where === undefined ? this.#order : this.#index(where.index).rows(where.value);
    return rows.newestFirst(before);
  }

  query(query: TableQuery<R, IndexName>): TablePage<R> {
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

  /** As {@link put}, for callers that have read the present row already. */
  putAfter(previous: R | undefined, row: R): Changes<R> {
    if (previous !== undefined && previous.uid !== row.uid) return [...this.remove(row.id), ...this.put(row)];
    if (previous !== undefined && previous.createdAt !== row.createdAt) this.#order.remove(previous);
    this.#rows.set(row.id, row);
    this.#order.put(row);
    for (const index of this.#indexes.values()) index.put(row, previous);
    return this.#changed(previous === undefined ? { type: 'added', row } : { type: 'changed', row, previous });
  }

  /** Removes a row. */
  remove(id: string): Changes<R> {
    const row = this.#rows.get(id);
    if (row === undefined) return [];
    this.#rows.delete(id);
    this.#order.remove(row);
    for (const index of this.#indexes.values()) index.remove(row);
    return this.#changed({ type: 'removed', row, previous: row });
  }

  /** Notifies the listeners of changes. A listener that throws, against its contract, does not keep others from being notified. */
  notify(changes: Changes<R>): void {
    for (const change of changes) {
      for (const listener of this.#listeners) this.#notifyOne(listener, change);
      this.#waiters.notify(change.row.id, change.type === 'removed' ? undefined : change.row);
      this.#mirrored.get(change)?.();
    }
  }

  #changed(change: RowChange<R>): Changes<R> {
    const notifyMirrors = this.#mirror(change);
    if (notifyMirrors !== undefined) this.#mirrored.set(change, notifyMirrors);
    return [change];
  }

  #notifyOne(listener: (change: RowChange<R>) => void, change: RowChange<R>): void {
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
