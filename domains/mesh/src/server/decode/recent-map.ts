const maxEntries = 2_000;
const maxCharacters = 8 * 1024 * 1024;

/** Remembers values by long texts, as many as fit; the oldest are forgotten first. */
export class BoundedCache<Value> {
  readonly #values = new Map<string, Value>();
  #characters = 0;

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The key must not be there yet. */
  add(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#characters += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= maxEntries && this.#characters <= maxCharacters) return;
      this.#values.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
