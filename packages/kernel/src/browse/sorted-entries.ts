import { type ObjectState, objectStates } from '@chandlery/api';
import type { Entry } from './entry.ts';
import { type EntryOrder, positionOf } from './rank.ts';

/** How many entries are in which state, in the order of `objectStates`. */
export type StateCounts = readonly number[];

interface Chunk {
  readonly entries: Entry[];
  readonly counts: number[];
}

/** A chunk of twice this size is split. Finding a place costs two binary searches, inserting moves half a chunk. */
const chunkSize = 512;

/** A part of a sorted list. */
export interface PageRequest {
  /** Undefined: any. */
  readonly state?: ObjectState | undefined;
  readonly offset: number;
  readonly limit: number;
}

const noCounts = (): number[] => objectStates.map(() => 0);

/**
 * Entries in an order, with the numbers of those in each state. Insertion, removal and pages at any offset cost about the
 * logarithm of the size, or, for pages, a look at each chunk before.
 */
export class SortedEntries {
  readonly order: EntryOrder;
  readonly #chunks: Chunk[] = [];
  readonly #counts = noCounts();
  #size = 0;

  constructor(order: EntryOrder) {
    this.order = order;
  }

  get size(): number {
    return this.#size;
  }

  get counts(): StateCounts {
    return this.#counts;
  }

  /** Inserts an entry, or replaces the one at its place, and returns that. */
  insert(entry: Entry): Entry | undefined {
    const at = this.#chunkFor(entry);
    const chunk = this.#chunks[at] ?? this.#newChunk();
    const { index, found } = this.#placeIn(chunk, entry);
    if (found !== undefined) this.#count(chunk, found, -1);
    chunk.entries.splice(index, found === undefined ? 0 : 1, entry);
    this.#count(chunk, entry, 1);
    if (chunk.entries.length >= 2 * chunkSize) this.#split(at, chunk);
    return found;
  }

  /** Removes the entry at the place of another, and returns it. */
  remove(entry: Entry): Entry | undefined {
    const at = this.#chunkFor(entry);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return undefined;
    const { index, found } = this.#placeIn(chunk, entry);
    if (found === undefined) return undefined;
    chunk.entries.splice(index, 1);
    this.#count(chunk, found, -1);
    if (chunk.entries.length === 0) this.#chunks.splice(at, 1);
    return found;
  }

  /** The entry at the place of another. */
  find(entry: Entry): Entry | undefined {
    const chunk = this.#chunks[this.#chunkFor(entry)];
    return chunk && this.#placeIn(chunk, entry).found;
  }

  page({ state, offset, limit }: PageRequest): readonly Entry[] {
    const page: Entry[] = [];
    let toSkip = offset;
    for (const { entries, counts } of this.#chunks) {
      if (page.length >= limit) break;
      const size = state === undefined ? entries.length : (counts[positionOf(state)] ?? 0);
      if (size <= toSkip) {
        toSkip -= size;
        continue;
      }
      const wanted = state === undefined ? entries : entries.filter(entry => entry.state === state);
      page.push(...wanted.slice(toSkip, toSkip + limit - page.length));
      toSkip = 0;
    }
    return page;
  }

  /** All entries, as a list of their own. */
  all(): readonly Entry[] {
    return this.#chunks.flatMap(({ entries }) => entries);
  }

  /** All entries from the place of one on. Must not be changed meanwhile. */
  *from(start?: Entry): Iterable<Entry> {
    const first = start === undefined ? 0 : this.#chunkFor(start);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as Chunk;
      const index = start !== undefined && at === first ? this.#placeIn(chunk, start).index : 0;
      for (let next = index; next < chunk.entries.length; next++) yield chunk.entries[next] as Entry;
    }
  }

  #newChunk(): Chunk {
    const chunk = { entries: [], counts: noCounts() };
    this.#chunks.push(chunk);
    return chunk;
  }

  #split(at: number, { entries, counts }: Chunk): void {
    const moved: Chunk = { entries: entries.splice(chunkSize), counts: noCounts() };
    for (const { state } of moved.entries) {
      const position = positionOf(state);
      moved.counts[position] = (moved.counts[position] ?? 0) + 1;
      counts[position] = (counts[position] ?? 0) - 1;
    }
    this.#chunks.splice(at + 1, 0, moved);
  }

  #count(chunk: Chunk, { state }: Entry, change: 1 | -1): void {
    const position = positionOf(state);
    chunk.counts[position] = (chunk.counts[position] ?? 0) + change;
    this.#counts[position] = (this.#counts[position] ?? 0) + change;
    this.#size += change;
  }

  /** The last chunk that begins at or before the place of an entry; the first one when there is none. */
  #chunkFor(entry: Entry): number {
    let [low, high] = [0, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = this.#chunks[middle]?.entries[0];
      if (first !== undefined && this.order(first, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #placeIn({ entries }: Chunk, entry: Entry): { readonly index: number; readonly found: Entry | undefined } {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.order(entries[middle] as Entry, entry) < 0) low = middle + 1;
      else high = middle;
    }
    const candidate = entries[low];
    const found = candidate !== undefined && this.order(candidate, entry) === 0 ? candidate : undefined;
    return { index: low, found };
  }
}
