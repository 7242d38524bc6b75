/** What a heap holds: it notes its own place, so that it can be moved or removed without a search. */
export interface HeapItem {
  /** Kept by the heap; -1 outside. */
  heapIndex: number;
}

/** A binary heap: the item that `isBefore` all others is on top. An item is in at most one heap. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#place(item, this.#items.length);
    this.#rise(item);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  remove(item: T): void {
    const index = item.heapIndex;
    const last = this.#items.pop();
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    this.#place(last, index);
    this.update(last);
  }

  /** Finds the right place for an item whose rank has changed. */
  update(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const parent = this.#items[(item.heapIndex - 1) >> 1];
      if (parent === undefined || !this.#isBefore(item, parent)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (let child = this.#firstChild(item); child !== undefined; child = this.#firstChild(item)) {
      if (!this.#isBefore(child, item)) return;
      this.#swap(item, child);
    }
  }

  #firstChild(item: T): T | undefined {
    const left = this.#items[2 * item.heapIndex + 1];
    const right = this.#items[2 * item.heapIndex + 2];
    return left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
  }

  #swap(a: T, b: T): void {
    const index = a.heapIndex;
    this.#place(a, b.heapIndex);
    this.#place(b, index);
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
