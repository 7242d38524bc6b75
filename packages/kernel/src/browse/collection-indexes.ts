import type { ChangeFeed } from '../feed/change-feed.ts';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { Collection } from '../store/store.ts';
import { CollectionIndex, type IndexDeps } from './collection-index.ts';
import { withTimeLimit } from './with-time-limit.ts';

/** How much is kept, and how long. */
export interface IndexLimits {
  /** Memory of all indexes together, about. Default 100 MiB, which is about 300,000 objects. */
  readonly maxBytes?: number;
  /** An index that no request has read for so long is dropped. Default ten minutes. */
  readonly idleMs?: number;
}

const defaultMaxBytes = 100 * 1024 * 1024;
const defaultIdleMs = 600_000;
/** What no request has read for so long gives way first, whose ever it is. */
const quietMs = 60_000;

/** `tooLarge`: there is no room for the collection, until it is tried again. */
export type IndexState = 'loading' | 'ready' | 'tooLarge';

/** Collections that are read at a time: each gives way to others after a few milliseconds, and these add up. */
const maxLoading = 2;

interface Known {
  readonly cluster: string;
  readonly kind: CompiledKind;
  index: CollectionIndex;
  loaded: Promise<IndexState>;
  state: IndexState;
  usedAtMs: number;
}

/**
 * The indexes of browsed collections, of all logical clusters: made when they are first asked for, dropped when no request
 * has come for a while or when others need the room. Then those of the logical cluster that takes most give way, so that
 * no tenant costs another its share; and no logical cluster has two collections read at a time.
 */
export class CollectionIndexes {
  readonly #deps: IndexDeps;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  /** The one that was used last is the last one. */
  readonly #known = new Map<string, Known>();
  /** The logical clusters whose collections are being read. */
  readonly #loading: string[] = [];
  readonly #waiting: { readonly cluster: string; readonly begin: () => void }[] = [];
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
   * The index of a collection once it is loaded; undefined when it is not within the time, or there is no room for it.
   * Loading continues for the next request.
   */
  async within(collection: Collection, kind: CompiledKind, waitMs: number): Promise<CollectionIndex | undefined> {
    const known = this.#use(collection, kind);
    if (known.state === 'loading') await withTimeLimit(known.loaded, waitMs);
    return known.state === 'ready' ? known.index : undefined;
  }

  /** Whether there is no room for an index of the collection. */
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
    const known =
      present !== undefined && hasSameColumns(present.kind, kind)
        ? present
        : this.#open(id, { cluster, resource }, kind);
    // What there was no room for is tried again after a while, however often it is asked for.
    if (known.state !== 'tooLarge') known.usedAtMs = performance.now();
    this.#known.delete(id);
    this.#known.set(id, known);
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
    return known;
  }

  #open(id: string, collection: Collection, kind: CompiledKind): Known {
    this.#drop(id);
    const onGrowth = (): void => {
      if (known.state === 'ready' && !this.#makeRoom(id)) this.#giveUp(known, collection);
    };
    const index = new CollectionIndex(this.#deps, collection, onGrowth);
    const known: Known = {
      cluster: collection.cluster,
      kind,
      index,
      state: 'loading',
      usedAtMs: performance.now(),
      loaded: Promise.resolve('loading'),
    };
    known.loaded = this.#load(index, id, collection.cluster).then(
      isLoaded => {
        if (isLoaded) known.state = 'ready';
        else this.#giveUp(known, collection);
        return known.state;
      },
      (error: unknown) => {
        if (this.#known.get(id) === known) this.#drop(id);
        throw error;
      },
    );
    // Those who wait for it get the failure; without them it is of no interest.
    known.loaded.catch(() => undefined);
    return known;
  }

  #giveUp(known: Known, collection: Collection): void {
    known.index.stop();
    known.index = new CollectionIndex(this.#deps, collection);
    known.state = 'tooLarge';
    known.usedAtMs = performance.now();
  }

  async #load(index: CollectionIndex, id: string, cluster: string): Promise<boolean> {
    if (this.#mayLoad(cluster)) this.#loading.push(cluster);
    else await new Promise<void>(begin => this.#waiting.push({ cluster, begin }));
    try {
      return await index.load(() => this.#makeRoom(id));
    } finally {
      this.#loading.splice(this.#loading.indexOf(cluster), 1);
      this.#beginNext();
    }
  }

  #mayLoad(cluster: string): boolean {
    return this.#loading.length < maxLoading && !this.#loading.includes(cluster);
  }

  #beginNext(): void {
    const at = this.#waiting.findIndex(({ cluster }) => this.#mayLoad(cluster));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#loading.push(next.cluster);
    next.begin();
  }

  /** Drops others until everything fits; false when the index itself is what has to give way. */
  #makeRoom(id: string): boolean {
    for (;;) {
      const { total, largest } = this.#sizes();
      if (total <= this.#maxBytes) return true;
      const quietSince = performance.now() - quietMs;
      const others = [...this.#known].filter(([other, { state }]) => other !== id && state === 'ready');
      const [victim] =
        others.find(([, { usedAtMs }]) => usedAtMs < quietSince) ??
        others.find(([, { cluster }]) => cluster === largest) ??
        [];
      if (victim === undefined) return this.#known.get(id)?.cluster !== largest;
      this.#drop(victim);
    }
  }

  /** The bytes of all indexes, and the logical cluster that takes most. */
  #sizes(): { readonly total: number; readonly largest: string | undefined } {
    const bytesOf = new Map<string, number>();
    for (const { cluster, index } of this.#known.values())
      bytesOf.set(cluster, (bytesOf.get(cluster) ?? 0) + index.bytes);
    let total = 0;
    let largest: readonly [cluster: string, bytes: number] | undefined;
    for (const entry of bytesOf) {
      total += entry[1];
      if (largest === undefined || entry[1] > largest[1]) largest = entry;
    }
    return { total, largest: largest?.[0] };
  }

  #drop(id: string): void {
    this.#known.get(id)?.index.stop();
    this.#known.delete(id);
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const oldest = performance.now() - this.#idleMs;
    for (const [id, { usedAtMs }] of [...this.#known]) if (usedAtMs < oldest) this.#drop(id);
    if (this.#known.size > 0) this.#sweeping = setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
  }
}

/**
 * Whether definitions of a kind show the same columns: another one may show others under the same names. What a view
 * serves is another definition with the same columns.
 */
const hasSameColumns = ({ declaration: one }: CompiledKind, { declaration: other }: CompiledKind): boolean =>
  one === other ||
  (one.versions.length === other.versions.length &&
    one.versions.every(
      ({ name, columns }, at) => name === other.versions[at]?.name && columns === other.versions[at]?.columns,
    ));
