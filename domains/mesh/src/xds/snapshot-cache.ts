import type { EncodedResource, ResourceType } from '../model/resource.ts';
import type { ProxyView } from '../ports.ts';

/** Everything that a subscription retained at one moment, by name and in the order of names. Shared by all who got it. */
export interface Snapshot {
  /** Tells snapshots apart. Two with the same id are the same. */
  readonly id: number;
  readonly resources: ReadonlyMap<string, EncodedResource>;
}

/** What a snapshot has that an earlier one had not, and the other way round. */
export interface SnapshotDifference {
  /** Added or with another version. */
  readonly changed: readonly EncodedResource[];
  readonly removed: readonly EncodedResource[];
}

/** What a client has that was told nothing yet. */
export const emptySnapshot: Snapshot = { id: 0, resources: new Map() };

/** What a subscription covers, as far as snapshots are concerned. */
export interface Coverage {
  readonly type: ResourceType;
  readonly isWildcard: boolean;
  readonly names: { readonly id: number; readonly names: ReadonlySet<string> } | undefined;
}

/** More kinds of subscriptions to one view at one time are unusual. */
const maxSnapshots = 64;

/**
 * Takes snapshots of a view, once for all who have the same subscription, and compares them, once for all who go the
 * same way from one to the next.
 */
export class SnapshotCache {
  readonly #view: ProxyView;
  readonly #current = new Map<string, Snapshot>();
  readonly #differences = new WeakMap<Snapshot, WeakMap<Snapshot, SnapshotDifference>>();
  #lastId = 0;

  constructor(view: ProxyView) {
    this.#view = view;
  }

  /** Something of the type has changed: what was taken before is history. */
  forget(type: ResourceType): void {
    for (const key of this.#current.keys()) if (key.startsWith(`${type} `)) this.#current.delete(key);
  }

  take(coverage: Coverage): Snapshot {
    const key = `${coverage.type} ${coverage.isWildcard ? '*' : ''}${coverage.names?.id ?? ''}`;
    const known = this.#current.get(key);
    if (known !== undefined) return known;
    const snapshot = { id: ++this.#lastId, resources: this.#read(coverage) };
    if (this.#current.size >= maxSnapshots) this.#current.clear();
    this.#current.set(key, snapshot);
    return snapshot;
  }

  compare(before: Snapshot, after: Snapshot): SnapshotDifference {
    const known = this.#differences.get(after)?.get(before);
    if (known !== undefined) return known;
    const difference = differenceOf(before, after);
    let toAfter = this.#differences.get(after);
    if (toAfter === undefined) this.#differences.set(after, (toAfter = new WeakMap()));
    toAfter.set(before, difference);
    return difference;
  }

  #read({ type, isWildcard, names }: Coverage): ReadonlyMap<string, EncodedResource> {
    const wanted = new Set(isWildcard ? this.#view.names(type) : []);
    for (const name of names?.names ?? []) wanted.add(name);
    const resources = new Map<string, EncodedResource>();
    for (const name of [...wanted].sort()) {
      const resource = this.#view.get(type, name);
      if (resource !== undefined) resources.set(name, resource);
    }
    return resources;
  }
}

function differenceOf(before: Snapshot, after: Snapshot): SnapshotDifference {
  const changed: EncodedResource[] = [];
  const removed: EncodedResource[] = [];
  for (const [name, resource] of after.resources)
    if (before.resources.get(name)?.version !== resource.version) changed.push(resource);
  for (const [name, resource] of before.resources) if (!after.resources.has(name)) removed.push(resource);
  return { changed, removed };
}
