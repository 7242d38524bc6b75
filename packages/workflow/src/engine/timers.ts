/** Due times of an execution: at most one for each key. */
export class Timers {
  readonly #due = new Map<string, { readonly time: number; readonly fire: () => void }>();
  readonly #heap: { readonly time: number; readonly key: string }[] = [];

  set(key: string, time: number, fire: () => void): void {
    this.#due.set(key, { time, fire });
    push(this.#heap, { time, key });
  }

  clear(key: string): void {
    this.#due.delete(key);
  }

  /** The earliest due time. */
  next(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.time;
  }

  /** Takes those that are due, the earliest first. */
  takeDue(now: number): (() => void)[] {
    const due: (() => void)[] = [];
    for (let next = this.next(); next !== undefined && next <= now; next = this.next()) {
      const key = this.#heap[0]?.key ?? '';
      const entry = this.#due.get(key);
      this.#due.delete(key);
      pop(this.#heap);
      if (entry !== undefined) due.push(entry.fire);
    }
    return due;
  }

  #dropStale(): void {
    for (let head = this.#heap[0]; head !== undefined; head = this.#heap[0]) {
      if (this.#due.get(head.key)?.time === head.time) return;
      pop(this.#heap);
    }
  }
}

type Entry = { readonly time: number; readonly key: string };

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(entry, heap[parent])) break;
    swap(heap, at, parent);
    at = parent;
  }
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    const smaller = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isBefore(heap[smaller], heap[at])) return;
    swap(heap, at, smaller);
    at = smaller;
  }
}

/** Equal times fire in the order of their keys, so that every run is the same. */
const isBefore = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined && (b === undefined || a.time < b.time || (a.time === b.time && a.key < b.key));

function swap(heap: Entry[], a: number, b: number): void {
  const [x, y] = [heap[a], heap[b]];
  if (x === undefined || y === undefined) return;
  heap[a] = y;
  heap[b] = x;
}
