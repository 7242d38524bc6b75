import type { ResourceType } from '../model/resource.ts';
import type { ViewChange } from '../ports.ts';

/** Changes of a view that have been gathered and not told yet. */
export class PendingChanges {
  #names = new Map<ResourceType, Set<string>>();
  #since = Number.POSITIVE_INFINITY;

  /** When the oldest became known. */
  get since(): number {
    return this.#since;
  }

  /** The set is not changed once {@link clear} has been called: it may be kept. */
  of(type: ResourceType): ReadonlySet<string> | undefined {
    return this.#names.get(type);
  }

  add({ acceptedAt, changed }: ViewChange): void {
    this.#since = Math.min(this.#since, acceptedAt);
    for (const [type, names] of changed) {
      const gathered = this.#names.get(type);
      if (gathered === undefined) this.#names.set(type, new Set(names));
      else for (const name of names) gathered.add(name);
    }
  }

  clear(): void {
    this.#names = new Map();
    this.#since = Number.POSITIVE_INFINITY;
  }
}
