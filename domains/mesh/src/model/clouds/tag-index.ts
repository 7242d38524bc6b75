/** Finds things by their tags, in time that depends on how many have them and not on how many there are. */
export class TagIndex<T> {
  readonly #things = new Map<string, Map<string, T[]>>();

  add(key: string, value: string, thing: T): void {
    const byValue = this.#things.get(key) ?? new Map<string, T[]>();
    const things = byValue.get(value) ?? [];
    if (things.length === 0) byValue.set(value, things);
    if (byValue.size === 1) this.#things.set(key, byValue);
    things.push(thing);
  }

  /** Those with all of the tags, in the order in which they were added. */
  find(tags: Readonly<Record<string, string>>): readonly T[] {
    const lists = Object.entries(tags).map(([key, value]) => this.#things.get(key)?.get(value) ?? []);
    const [shortest = [], ...others] = lists.sort((a, b) => a.length - b.length);
    if (others.length === 0) return shortest;
    const sets = others.map(list => new Set(list));
    return shortest.filter(thing => sets.every(set => set.has(thing)));
  }
}

/** Makes the function that returns the index of something that was read, which is built once. */
export function indexOnce<Inventory extends object, T>(
  build: (inventory: Inventory, index: TagIndex<T>) => void,
): (inventory: Inventory) => TagIndex<T> {
  const indexes = new WeakMap<Inventory, TagIndex<T>>();
  return inventory => {
    const known = indexes.get(inventory);
    if (known !== undefined) return known;
    const index = new TagIndex<T>();
    build(inventory, index);
    indexes.set(inventory, index);
    return index;
  };
}
