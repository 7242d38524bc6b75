import { withTimeLimit } from '@chandlery/platform';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import type { Collection } from '../store/store.ts';
import { CollectionIndex, type IndexDeps } from './collection-index.ts';

/** How much is kept, and how long. */
export interface IndexLimits {
  /** Memory of the entries of all indexes together, about. Default 100 MiB, which is about 300,000 objects. */
  readonly maxBytes?: number;
  /** An index that no request has read for so long is dropped. Default ten minutes. */
  readonly idleMs?: number;
}

const defaultMaxBytes = 100 * 1024 * 1024;
const defaultIdleMs = 600_000;

/** `tooLarge`: the collection alone takes more memory than all indexes may. */
export type IndexState = 'loading' | 'ready' | 'tooLarge' | 'dropped';

/** Collections that are read at a time: each gives way to others after a few milliseconds, and these add up. */
const maxLoading = 2;

interface IndexesDeps extends IndexDeps {
  readonly feed: Pick<ChangeFeed, 'follow' | 'onGap'>;
  readonly registry: Pick<KindRegistry, 'of'>;
}

interface Known {
  readonly collection: Collection;
  /** Undefined: it is not served. */
  readonly kind: CompiledKind | undefined;
  readonly loaded: Promise<void>;
  /** An empty one when it is too large. */
  index: CollectionIndex;
  state: IndexState;
  usedAtMs: number;
}

/**
 * The indexes of browsed collections, of all logical clusters: made when they are first asked for, dropped when no request
 * has come for a while or when others need the room.
 */
export class CollectionIndexes {
  readonly #deps: IndexesDeps;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  /** The one that was used last is the last one. */
  readonly #known = new Map<string, Known>();
  readonly #waiting: (() => void)[] = [];
  /** The one that began first is the first one. */
  readonly #loading = new Set<Known>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(deps: IndexesDeps, limits: IndexLimits = {}) {
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
  async within(collection: Collection, waitMs: number): Promise<CollectionIndex | undefined> {
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const kinds = await this.#deps.registry.of(collection.cluster);
      const known = this.#use(collection, kinds.get(collection.resource)?.kind);
      if (known.state === 'loading') await withTimeLimit(known.loaded, endsAt - performance.now());
      if (known.state === 'ready') return known.index;
      if (known.state !== 'dropped') return undefined;
    }
  }

  /** Whether the collection has too many objects for an index. */
  isTooLarge(collection: Collection): boolean {
    return this.#known.get(idOf(collection))?.state === 'tooLarge';
  }

  forgetCluster(cluster: string): void {
    for (const id of [...this.#known.keys()]) if (id.startsWith(`${cluster}|`)) this.#drop(id);
  }

  clear(): void {
    for (const id of [...this.#known.keys()]) this.#drop(id);
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
  }

  #use(collection: Collection, kind: CompiledKind | undefined): Known {
    const id = idOf(collection);
    const present = this.#known.get(id);
    // Another definition of the kind may show other columns and fields.
    const isCurrent = present !== undefined && present.kind === kind && !present.index.isStopped;
    const known = isCurrent ? present : this.#open(collection, kind);
    // One that is too large is tried again after a while, however often it is asked for.
    if (known.state !== 'tooLarge') known.usedAtMs = performance.now();
    this.#known.delete(id);
    this.#known.set(id, known);
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
    return known;
  }

  #open(collection: Collection, kind: CompiledKind | undefined): Known {
    this.#drop(idOf(collection));
    const { promise: loaded, resolve, reject } = Promise.withResolvers<void>();
    const index = new CollectionIndex(this.#deps, collection);
    const known: Known = { collection, kind, loaded, index, state: 'loading', usedAtMs: performance.now() };
    // Those who wait for it get the failure; without them it is of no interest.
    loaded.catch(() => undefined);
    this.#load(known).then(resolve, (error: unknown) => {
      this.#dropKnown(known);
      reject(error);
    });
    return known;
  }

  async #load(known: Known): Promise<void> {
    if (this.#loading.size >= maxLoading) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#loading.add(known);
    try {
      if (await known.index.load(() => this.#makeRoomFor(known))) known.state = 'ready';
      else if (known.index.isStopped) this.#dropKnown(known);
      else this.#setTooLarge(known);
    } finally {
      this.#loading.delete(known);
      this.#waiting.shift()?.();
    }
  }

  #setTooLarge(known: Known): void {
    known.state = 'tooLarge';
    known.index = new CollectionIndex(this.#deps, known.collection);
  }

  /** Makes room for one that is loaded: what began to load earlier comes first. False when it does not fit alone. */
  async #makeRoomFor(known: Known): Promise<boolean> {
    for (;;) {
      if (this.#makeRoom()) return true;
      if (known.index.bytes > this.#maxBytes) return false;
      const [first] = this.#loading;
      if (first === undefined || first === known) return true;
      await first.loaded.catch(() => undefined);
    }
  }

  /** Drops what was not used for longest until everything fits. What is loading stays. */
  #makeRoom(): boolean {
    for (const known of [...this.#known.values()]) {
      if (this.#bytes() <= this.#maxBytes) return true;
      if (known.state === 'ready') this.#dropKnown(known);
    }
    return this.#bytes() <= this.#maxBytes;
  }

  #bytes(): number {
    let bytes = 0;
    for (const { index } of this.#known.values()) bytes += index.bytes;
    return bytes;
  }

  #drop(id: string): void {
    const known = this.#known.get(id);
    if (known !== undefined) this.#dropKnown(known);
  }

  #dropKnown(known: Known): void {
    known.index.stop();
    known.state = 'dropped';
    const id = idOf(known.collection);
    if (this.#known.get(id) === known) this.#known.delete(id);
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const oldest = performance.now() - this.#idleMs;
    for (const known of [...this.#known.values()]) if (known.usedAtMs < oldest) this.#dropKnown(known);
    // Collections grow while they are followed.
    this.#makeRoom();
    if (this.#known.size > 0) this.#sweeping = setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
  }
}

const idOf = ({ cluster, resource }: Collection): string => `${cluster}|${resource}`;
