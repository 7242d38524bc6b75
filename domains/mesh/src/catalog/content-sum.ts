import { hash } from 'node:crypto';

/**
 * A fingerprint of a keyed collection that is updated incrementally: the sum of the hashes of its entries. Equal
 * content has an equal fingerprint on every replica, independent of the order of updates.
 */
export class ContentSum {
  readonly #parts = new Map<string, bigint>();
  #sum = 0n;
  /** Cached, because reads are far more frequent than changes. */
  #text: string | undefined;

  /** Replaces the entry of a key; undefined removes it. */
  set(key: string, content: string | undefined): void {
    this.#sum -= this.#parts.get(key) ?? 0n;
    if (content === undefined) {
      this.#parts.delete(key);
    } else {
      const part = BigInt(`0x${hash('sha1', `${key}\0${content}`).slice(0, 16)}`);
      this.#parts.set(key, part);
      this.#sum += part;
    }
    this.#sum = BigInt.asUintN(64, this.#sum);
    this.#text = undefined;
  }

  get text(): string {
    this.#text ??= this.#sum.toString(16).padStart(16, '0');
    return this.#text;
  }
}
