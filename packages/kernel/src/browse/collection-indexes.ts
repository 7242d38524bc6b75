import type { ChangeFeed } from '../feed/change-feed.ts';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { Collection } from '../store/store.ts';
import { CollectionIndex, type IndexDeps } from './collection-index.ts';
import { withTimeLimit } from './with-time-limit.ts';

/** How much is kept, and how long. */
export interface IndexLimits {
  /** Memory of the entries of all indexes together, about. Default 100 MiB, which is about 300,000 objects. */
  readonly maxBytes?: number;
  /** An index that no request has read for so long is dropped. Default ten minutes. */
  readonly idleMs?: number;
}

const defaultMaxBytes = 100 * 1024 * 1024;
const defaultIdleMs = 600_000;

/** `tooLarge`: the collection takes more memory than all indexes may. */
export type IndexState = 'loading' | 'ready' | 'tooLarge';

/** Collections that are read at a time: each gives way to others after a few milliseconds, and these add up. */
const maxLoading = 2;

interface Known {
  readonly index: CollectionIndex;
  readonly kind: CompiledKind;
  readonly loaded: Promise<IndexState>;
  state: IndexState;
  usedAtMs: number;
}

/**
 * The indexes of browsed collections, of all logical clusters: made when they are first asked for, dropped when no request
 * has come for a while or when others need the room.
 */
export class CollectionIndexes {
  readonly #deps: IndexDeps;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  /** The one that was used last is the last one. */
  readonly #known = new Map<string, Known>();
  readonly #waiting: (() => void)[] = [];
  #loading = 0;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(deps: IndexDeps & { readonly feed: Pick<ChangeFeed, 'follow' | 'onGap'> }, limits: IndexLimits = {}) {
    this.#deps = deps;
    this.#maxBytes = limits.maxBytes ?? defaultMaxBytes;
    this.#idleMs = limits.idleMs ?? defaultIdleMs;
    deps.feed.onGap(() => this.clear());
  }

  /** How many collections are indexed, and how many objects they have. */
  get stats(): { readonly indexes: number; readonly entries: number } {
    const sizes = [...this.#known.values()].map(({ index }) => index.size);
    return { indexes: sizes.length, entries: sizes.reduce((sum, size) => sum + size, 0) };
  }

  /**
   * The index of a collection once it is loaded; undefined when it is not within the time, or has too many objects.
   * Loading continues for the next request.
   */
  async within(collection: Collection, kind: CompiledKind, waitMs: number): Promise<CollectionIndex | undefined> {
    const known = this.#use(collection, kind);
    if (known.state === 'loading') await withTimeLimit(known.loaded, waitMs);
    return known.state === 'ready' ? known.index : undefined;
  }

  /** Whether the collection has too many objects for an index. */
  isTooLarge({ cluster, resource }: Collection): boolean {
    return this.#known.get(`${cluster}|${resource}`)?.state === 'tooLarge';
  }

  forgetCluster(cluster: string): void {
    for (const id of [...this.#known.keys()]) if (id.startsWith(`${cluster}|`)) this.#drop(id);
  }

  clear(): void {
    for (const id of [...this.#known.keys()]) this.#drop(id);
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
  }

  #use({ cluster, resource }: Collection, kind: CompiledKind): Known {
    const id = `${cluster}|${resource}`;
    const present = this.#known.get(id);
    // Another definition of the kind may show other columns and fields.
    const known = present?.kind === kind ? present : this.#open(id, { cluster, resource }, kind);
    known.usedAtMs = performance.now();
    this.#known.delete(id);
    this.#known.set(id, known);
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
    return known;
  }

  #open(id: string, collection: Collection, kind: CompiledKind): Known {
    this.#drop(id);
    const index = new CollectionIndex(this.#deps, collection);
    const known: Known = {
      index,
      kind,
      state: 'loading',
      usedAtMs: 0,
      loaded: this.#load(index, id).then(
        isLoaded => {
          if (!isLoaded) index.stop();
          known.state = isLoaded ? 'ready' : 'tooLarge';
          if (!isLoaded) Object.assign(known, { index: new CollectionIndex(this.#deps, collection) });
          return known.state;
        },
        (error: unknown) => {
          if (this.#known.get(id) === known) this.#drop(id);
          throw error;
        },
      ),
    };
    // Those who wait for it get the failure; without them it is of no interest.
    known.loaded.catch(() => undefined);
    return known;
  }

  async #load(index: CollectionIndex, id: string): Promise<boolean> {
    if (this.#loading >= maxLoading) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#loading += 1;
    try {
      return await index.load(() => this.#makeRoom(id));
    } finally {
      this.#loading -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Drops what was not used for longest until everything fits; false when one index alone does not. */
  #makeRoom(id: string): boolean {
    for (const other of [...this.#known.keys()]) {
      if (this.#bytes() <= this.#maxBytes) return true;
      if (other !== id && this.#known.get(other)?.state === 'ready') this.#drop(other);
    }
    return this.#bytes() <= this.#maxBytes;
  }

  #bytes(): number {
    let bytes = 0;
    for (const { index } of this.#known.values()) bytes += index.bytes;
    return bytes;
  }

  #drop(id: string): void {
    this.#known.get(id)?.index.stop();
    this.#known.delete(id);
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const oldest = performance.now() - this.#idleMs;
    for (const [id, { usedAtMs }] of [...this.#known]) if (usedAtMs < oldest) this.#drop(id);
    const [last] = [...this.#known.keys()].slice(-1);
    // Collections grow while they are followed.
    if (last !== undefined) this.#makeRoom(last);
    if (this.#known.size > 0) this.#sweeping = setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
  }
}
