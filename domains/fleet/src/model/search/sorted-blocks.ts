const blockLength = 512;

/**
 * Items in order, each place once, with cheap access by position. Kept in sorted blocks of limited length, so that a
 * change moves the items of one block and a position is found by the lengths of the blocks before it.
 */
export class SortedBlocks<T> {
  readonly #compare: (one: T, other: T) => number;
  readonly #blocks: T[][] = [];
  #size = 0;

  /** `sorted`: items to begin with, in order. */
  constructor(compare: (one: T, other: T) => number, sorted: readonly T[] = []) {
    this.#compare = compare;
    for (let at = 0; at < sorted.length; at += blockLength / 2)
      this.#blocks.push(sorted.slice(at, at + blockLength / 2));
    this.#size = sorted.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item, or replaces the one at its place. */
  put(item: T): void {
    const at = this.#blockFor(item);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([item]);
      this.#size++;
      return;
    }
    const index = this.#lowerBound(block, item);
    const isPresent = index < block.length && this.#compare(block[index] as T, item) === 0;
    block.splice(index, isPresent ? 1 : 0, item);
    if (isPresent) return;
    this.#size++;
    if (block.length > blockLength) this.#blocks.splice(at + 1, 0, block.splice(blockLength / 2));
  }

  /** Removes the item at a place, if there is one. */
  remove(item: T): void {
    const at = this.#blockFor(item);
    const block = this.#blocks[at];
    const index = block === undefined ? 0 : this.#lowerBound(block, item);
    if (block === undefined || index === block.length || this.#compare(block[index] as T, item) !== 0) return;
    block.splice(index, 1);
    this.#size--;
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Returns at most `limit` items from a position on. */
  slice(offset: number, limit: number): readonly T[] {
    const items: T[] = [];
    let start = offset;
    for (const block of this.#blocks) {
      if (items.length >= limit) break;
      if (start < block.length) items.push(...block.slice(start, start + limit - items.length));
      start = Math.max(0, start - block.length);
    }
    return items;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const block of this.#blocks) yield* block;
  }

  /** The last block that does not begin after the item, else the first. */
  #blockFor(item: T): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#blocks[middle]?.[0];
      if (first !== undefined && this.#compare(first, item) <= 0) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  #lowerBound(block: readonly T[], item: T): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(block[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
