import type { EncodedResource, ResourceType } from '../model/resource.ts';
import type { ProxyView } from '../ports.ts';

/** The resources of a subscription at one moment, sorted by name. Shared by all streams that received it. */
export interface Snapshot {
  /** Snapshots with equal ids are identical. */
  readonly id: number;
  readonly resources: ReadonlyMap<string, EncodedResource>;
}

/** The difference between two snapshots. */
export interface SnapshotDifference {
  /** Added or changed resources. */
  readonly changed: readonly EncodedResource[];
  readonly removed: readonly EncodedResource[];
}

/** The snapshot of a client before its first response. */
export const emptySnapshot: Snapshot = { id: 0, resources: new Map() };

/** The coverage of a subscription. */
export interface Coverage {
  readonly type: ResourceType;
  readonly isWildcard: boolean;
  readonly names: { readonly id: number; readonly names: ReadonlySet<string> } | undefined;
}

/** Usually a view has only a few different subscriptions at a time. */
const maxSnapshots = 64;

/**
 * Takes snapshots of a view, shared by all equal subscriptions, and computes their differences, shared by all streams
 * with the same transition.
 */
export class SnapshotCache {
  readonly #view: ProxyView;
  readonly #current = new Map<string, Snapshot>();
  readonly #differences = new WeakMap<Snapshot, WeakMap<Snapshot, SnapshotDifference>>();
  #lastId = 0;

  constructor(view: ProxyView) {
    this.#view = view;
  }

  /** Invalidates the snapshots of a type that has changed. */
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
