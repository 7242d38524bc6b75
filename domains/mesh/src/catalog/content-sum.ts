import { hash } from 'node:crypto';

/**
 * A fingerprint of a keyed collection that costs no more to keep than the parts that change: the sum of the hashes of its
 * parts. Equal content gives an equal fingerprint, in whatever order it came, on every replica.
 */
export class ContentSum {
  readonly #parts = new Map<string, bigint>();
  #sum = 0n;
  /** Asked for far more often than changed. */
  #text: string | undefined;

  /** Replaces the part under a key; undefined removes it. */
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
