/** Fits most messages, so that a buffer need not be replaced when the length becomes known. */
const minBytes = 32 * 1024;

/** A pool of buffers for messages that arrive in pieces. */
export class SpareBuffers {
  readonly #spare: Buffer[] = [];

  /** Takes a buffer of at least this size, to be given back after use. */
  take(bytes: number): Buffer {
    const spare = this.#spare.pop();
    // A buffer that is too small is dropped: the next message probably has the same length.
    return spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafeSlow(Math.max(bytes, minBytes));
  }

  giveBack(buffer: Buffer): void {
    this.#spare.push(buffer);
  }
}
