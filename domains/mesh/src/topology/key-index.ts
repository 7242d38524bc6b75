/** Maps keys to their members. */
export class KeyIndex {
  readonly #members = new Map<string, Set<string>>();

  get(key: string): Iterable<string> {
    return this.#members.get(key) ?? [];
  }

  add(keys: Iterable<string>, member: string): void {
    for (const key of keys) {
      const members = this.#members.get(key) ?? new Set();
      this.#members.set(key, members.add(member));
    }
  }

  delete(keys: Iterable<string>, member: string): void {
    for (const key of keys) {
      const members = this.#members.get(key);
      members?.delete(member);
      if (members?.size === 0) this.#members.delete(key);
    }
  }
}
