/** Indexes items by the related objects that they depend on, so that a change of such an object enqueues them. */
export class Origins<Item> {
  readonly #idOf: (item: Item) => string;
  readonly #byOrigin = new Map<string, Map<string, Item>>();
  readonly #byItem = new Map<string, Set<string>>();

  constructor(idOf: (item: Item) => string) {
    this.#idOf = idOf;
  }

  add(item: Item, origin: string): void {
    const id = this.#idOf(item);
    this.#byOrigin.set(origin, (this.#byOrigin.get(origin) ?? new Map<string, Item>()).set(id, item));
    this.#byItem.set(id, (this.#byItem.get(id) ?? new Set<string>()).add(origin));
  }

  /** Removes all entries of an item. */
  clear(item: Item): void {
    const id = this.#idOf(item);
    for (const origin of this.#byItem.get(id) ?? []) {
      const items = this.#byOrigin.get(origin);
      items?.delete(id);
      if (items?.size === 0) this.#byOrigin.delete(origin);
    }
    this.#byItem.delete(id);
  }

  of(origin: string): Iterable<Item> {
    return [...(this.#byOrigin.get(origin)?.values() ?? [])];
  }
}
