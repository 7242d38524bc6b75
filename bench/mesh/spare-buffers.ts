/** Room for most messages, so that a buffer need not be exchanged for another when the length becomes known. */
const leastBytes = 32 * 1024;

/** Buffers that are used again, for messages that come in pieces: most of the time, few are under way at once. */
export class SpareBuffers {
  readonly #spare: Buffer[] = [];

  /** A buffer of at least this size. Who takes it gives it back when done. */
  take(bytes: number): Buffer {
    const spare = this.#spare.pop();
    // One that is too small is dropped: the next message is as long as this one, more often than not.
    return spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafeSlow(Math.max(bytes, leastBytes));
  }

  giveBack(buffer: Buffer): void {
    this.#spare.push(buffer);
  }
}
