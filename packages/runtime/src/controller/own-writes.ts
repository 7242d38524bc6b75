import type { KubeObject } from '@chandlery/api';

interface OwnWrite {
  readonly object: KubeObject;
  /** Versions that are older than the written one: what it was based on, back to what the cache showed. */
  readonly stale: ReadonlySet<string>;
}

/**
 * What this controller wrote and its cache does not show yet. Without it a reconcile could start from the state before the
 * controller's own last write, repeat what is done, and lose a race against itself.
 */
export class OwnWrites {
  readonly #writes = new Map<string, OwnWrite>();

  /** Keeps the outcome of a write that was based on `before`. */
  add(key: string, before: KubeObject, object: KubeObject): void {
    const known = this.#writes.get(key)?.stale ?? [];
    this.#writes.set(key, { object, stale: new Set([...known, versionOf(before)]) });
  }

  /** The newer of what the cache shows and what was written here. */
  latest<T extends KubeObject>(key: string, cached: T): T {
    const write = this.#writes.get(key);
    if (write === undefined) return cached;
    const isStale = write.stale.has(versionOf(cached)) && write.object.metadata.uid === cached.metadata.uid;
    return isStale ? (write.object as T) : cached;
  }

  /** True when the change is one of our own writes only. To be called with each change that the cache shows. */
  isOwnWrite(key: string, changed: KubeObject): boolean {
    const write = this.#writes.get(key);
    if (write === undefined) return false;
    if (write.stale.has(versionOf(changed))) return true;
    this.#writes.delete(key);
    return versionOf(write.object) === versionOf(changed);
  }

  delete(key: string): void {
    this.#writes.delete(key);
  }
}

const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';
