import { Pace } from '@chandlery/platform';
import type { Entry, EntryKey } from './entry.ts';
import type { EntryOrder } from './rank.ts';
import { SortedEntries } from './sorted-entries.ts';

/** The entries of an index that are sorted. */
export interface EntrySource {
  /** Those of a namespace, or all of them. A copy. */
  entries(namespace?: string): readonly Entry[];
  find(key: EntryKey): Entry | undefined;
  /** About how much memory they take. */
  readonly entryBytes: number;
}

/** A collection, or a namespace of it, in an order. */
export interface KnownOrder {
  readonly entries: SortedEntries;
  readonly namespace: string | undefined;
  /** Settles when every entry has its place. */
  readonly made: Promise<void>;
}

const maxOrders = 128;
/** About what an entry takes in an order. */
const placeBytes = 10;

/**
 * The orders of an index that were asked for, kept true with each change. They take no more memory than the entries: those
 * that were made first give way.
 */
export class KnownOrders {
  readonly #source: EntrySource;
  readonly #orders = new Map<string, KnownOrder>();

  constructor(source: EntrySource) {
    this.#source = source;
  }

  /** About how much memory they take. */
  get bytes(): number {
    let places = 0;
    for (const { entries } of this.#orders.values()) places += entries.size;
    return places * placeBytes;
  }

  get(id: string): KnownOrder | undefined {
    return this.#orders.get(id);
  }

  /** Begins to make an order. */
  make(id: string, order: EntryOrder, namespace: string | undefined): KnownOrder {
    const source = this.#source.entries(namespace);
    this.#makeRoom(source.length * placeBytes);
    const entries = new SortedEntries(order);
    const known = { entries, namespace, made: this.#fill(entries, source) };
    this.#orders.set(id, known);
    return known;
  }

  /** Takes an entry in, and out the one that it replaces. */
  put(entry: Entry, before: Entry | undefined): void {
    for (const order of this.#ordersOf(entry)) {
      if (before !== undefined) order.remove(before);
      order.insert(entry);
    }
  }

  remove(entry: Entry): void {
    for (const order of this.#ordersOf(entry)) order.remove(entry);
  }

  #makeRoom(bytes: number): void {
    for (const oldest of this.#orders.keys()) {
      if (this.#orders.size < maxOrders && this.bytes + bytes <= this.#source.entryBytes) return;
      this.#orders.delete(oldest);
    }
  }

  /** Changes that come meanwhile are made in the order too; an entry that was replaced is not inserted again. */
  async #fill(order: SortedEntries, entries: readonly Entry[]): Promise<void> {
    const pace = new Pace();
    for (const entry of entries) {
      if (pace.isDue) await pace.rest();
      if (this.#source.find(entry) === entry) order.insert(entry);
    }
  }

  *#ordersOf(entry: Entry): Iterable<SortedEntries> {
    for (const { entries, namespace } of this.#orders.values())
      if (namespace === undefined || namespace === entry.namespace) yield entries;
  }
}
