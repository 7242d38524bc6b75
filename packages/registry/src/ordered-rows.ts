/** The fields that decide a row's position in the order. */
export interface Placed {
  /** RFC 3339 in UTC with microseconds: texts compare as times do. */
  readonly createdAt: string;
  readonly id: string;
}

/** The order of all lists: by creation, then by id. */
export function comparePlaces(one: Placed, other: Placed): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** Long enough for few blocks, short enough that moving a block's rows costs next to nothing. */
const blockLength = 512;

/**
 * Rows in order, each place once.
 *
 * They are kept in sorted blocks of limited length, so that a change moves the rows of one block, and now and then the
 * list of blocks, but never all rows: 100,000 rows are 200 blocks. New rows nearly always come last: they are appended,
 * and blocks filled in this way stay full. Blocks that lose all their rows go; others are not joined, since rows go
 * about in the order in which they came.
 */
export class OrderedRows<R extends Placed> implements Iterable<R> {
  readonly #blocks: R[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a row, or replaces the one at its place. */
  put(row: R): void {
    if (this.#isLast(row)) return this.#append(row);
    const at = this.#blockFor(row);
    const block = this.#blocks[at];
    if (block === undefined) return this.#append(row);
    const index = lowerBound(block, row);
    const present = block[index];
    if (present !== undefined && comparePlaces(present, row) === 0) {
      block[index] = row;
      return;
    }
    block.splice(index, 0, row);
    this.#size++;
    if (block.length > blockLength) this.#blocks.splice(at + 1, 0, block.splice(blockLength / 2));
  }

  /** Removes the row at a place, if there is one. */
  remove(place: Placed): void {
    const at = this.#blockFor(place);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const index = lowerBound(block, place);
    const present = block[index];
    if (present === undefined || comparePlaces(present, place) !== 0) return;
    block.splice(index, 1);
    this.#size--;
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** The first row. */
  first(): R | undefined {
    return this.#blocks[0]?.[0];
  }

  /** The rows after a place, in order. */
  *after(place: Placed): Generator<R> {
    const start = this.#blockFor(place);
    for (let at = start; at < this.#blocks.length; at++) {
      const block = this.#blocks[at] ?? [];
      for (let index = at === start ? upperBound(block, place) : 0; index < block.length; index++)
        yield block[index] as R;
    }
  }

  /** All rows, the newest first; with a place only those before it. */
  *newestFirst(before?: Placed): Generator<R> {
    const start = before === undefined ? this.#blocks.length - 1 : this.#blockFor(before);
    for (let at = start; at >= 0; at--) {
      const block = this.#blocks[at] ?? [];
      const end = before !== undefined && at === start ? lowerBound(block, before) : block.length;
      for (let index = end - 1; index >= 0; index--) yield block[index] as R;
    }
  }

  *[Symbol.iterator](): Generator<R> {
    for (const block of this.#blocks) for (const row of block) yield row;
  }

  /** Visits all rows in order; several times faster than iterating over them. */
  forEach(visit: (row: R) => void): void {
    for (const block of this.#blocks) for (const row of block) visit(row);
  }

  /** Whether a row comes after all others, as nearly all new ones do. */
  #isLast(row: R): boolean {
    const newest = this.#blocks[this.#blocks.length - 1];
    const last = newest?.[newest.length - 1];
    return last !== undefined && comparePlaces(last, row) < 0;
  }

  #append(row: R): void {
    const newest = this.#blocks[this.#blocks.length - 1];
    if (newest === undefined || newest.length >= blockLength) this.#blocks.push([row]);
    else newest.push(row);
    this.#size++;
  }

  /** The last block that does not begin after the place, else the first. */
  #blockFor(place: Placed): number {
    const blocks = this.#blocks;
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = blocks[middle]?.[0];
      if (first !== undefined && comparePlaces(first, place) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Where the place is in a block, or would be. */
function lowerBound(block: readonly Placed[], place: Placed): number {
  const last = block[block.length - 1];
  if (last !== undefined && comparePlaces(last, place) < 0) return block.length;
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(block[middle] as Placed, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the rows after the place begin in a block. */
function upperBound(block: readonly Placed[], place: Placed): number {
  const index = lowerBound(block, place);
  const present = block[index];
  return present !== undefined && comparePlaces(present, place) === 0 ? index + 1 : index;
}
