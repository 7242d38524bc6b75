/** More than the number of distinct values that rows usually share; when it is exceeded, the pool is emptied. */
const capacity = 50_000;

/** Interns strings: a value that a hundred thousand rows have is kept in memory once. */
export class StringPool {
  readonly #texts = new Map<string, string>();
  readonly #fields: ReadonlySet<string>;

  /** `fields`: the names of fields of objects whose values are worth sharing. Default: none. */
  constructor(fields: Iterable<string> = []) {
    this.#fields = new Set(fields);
  }

  /** Returns whether the values of a field are to be shared. */
  hasField(field: string): boolean {
    return this.#fields.has(field);
  }

  /** Returns the first string of this value. */
  share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= capacity) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
