import type { EncodedNotification } from './encoded-notification.ts';

/** Keeps what was made last, up to a size: a thousand proxies that come back want the same. */
export class FrameStore {
  readonly #kept = new Map<number, EncodedNotification>();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(revision: number): EncodedNotification | undefined {
    return this.#kept.get(revision);
  }

  put(encoded: EncodedNotification): void {
    this.delete(encoded.revision);
    this.#kept.set(encoded.revision, encoded);
    this.#size += encoded.size;
    for (const [revision] of this.#kept) {
      if (this.#size <= this.#maxSize || this.#kept.size === 1) return;
      this.delete(revision);
    }
  }

  delete(revision: number): void {
    const known = this.#kept.get(revision);
    if (known === undefined) return;
    this.#kept.delete(revision);
    this.#size -= known.size;
  }
}
