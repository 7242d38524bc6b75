/** More than the landscape has of tenants, platforms and plans; if not, sharing begins anew. */
const capacity = 50_000;

/** Lets equal texts be one text: of values that a hundred thousand rows have, one is kept. */
export class StringPool {
  readonly #texts = new Map<string, string>();

  share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= capacity) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
