import type { ResourceType } from '../model/resource.ts';
import type { ViewChange } from '../ports.ts';

/** Changes of a view that are debounced. */
export class PendingChanges {
  #names = new Map<ResourceType, Set<string>>();
  #since = Number.POSITIVE_INFINITY;

  /** When the oldest change became known. */
  get since(): number {
    return this.#since;
  }

  /** The returned set is not modified after {@link clear}, so that callers may keep it. */
  of(type: ResourceType): ReadonlySet<string> | undefined {
    return this.#names.get(type);
  }

  add({ acceptedAt, changed }: ViewChange): void {
    this.#since = Math.min(this.#since, acceptedAt);
    for (const [type, names] of changed) {
      const pending = this.#names.get(type);
      if (pending === undefined) this.#names.set(type, new Set(names));
      else for (const name of names) pending.add(name);
    }
  }

  clear(): void {
    this.#names = new Map();
    this.#since = Number.POSITIVE_INFINITY;
  }
}
