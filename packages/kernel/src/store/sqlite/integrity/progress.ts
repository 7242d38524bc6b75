/** The number of verified pages, shared by two threads without waiting. */
export class Progress {
  readonly buffer: SharedArrayBuffer;
  readonly #count: Int32Array;

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#count = new Int32Array(buffer);
  }

  get pages(): number {
    return Atomics.load(this.#count, 0);
  }

  set(pages: number): void {
    Atomics.store(this.#count, 0, pages);
  }
}
