import { withTimeLimit } from '@chandlery/platform';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import type { Collection } from '../store/store.ts';
import { CollectionIndex, type IndexDeps } from './collection-index.ts';

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

/** `tooLarge`: there was no room for the collection when it was last tried. `dropped`: the next request opens another one. */
type IndexState = 'loading' | 'ready' | 'tooLarge' | 'dropped';

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

interface Waiting {
  readonly known: Known;
  readonly begin: () => void;
}

/**
 * The indexes of browsed collections, of all logical clusters: made when they are first asked for, dropped when no request
 * has come for a while or when others need the room. Then those of the logical cluster that takes most give way, so that
 * no tenant costs another its share.
 *
 * Two collections are read at a time, one of each logical cluster, and clusters take turns. One that does not fit beside
 * the one that began earlier waits until that is read.
 */
export class CollectionIndexes {
  readonly #deps: IndexesDeps;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  /** The one that was used last is the last one. */
  readonly #known = new Map<string, Known>();
  /** The one that began first is the first one. */
  readonly #loading = new Set<Known>();
  /** What waits to be read, of each logical cluster in the order in which it was asked for. Clusters take turns. */
  readonly #waiting = new Map<string, Waiting[]>();
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
   * The index of a collection once it is loaded; undefined when it is not within the time, or there is no room for it.
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

  /** Whether there is no room for an index of the collection. */
  isTooLarge(collection: Collection): boolean {
    return this.#known.get(idOf(collection))?.state === 'tooLarge';
  }

  forgetCluster(cluster: string): void {
    for (const known of [...this.#known.values()]) if (known.collection.cluster === cluster) this.#drop(known);
  }

  clear(): void {
    for (const known of [...this.#known.values()]) this.#drop(known);
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
  }

  #use(collection: Collection, kind: CompiledKind | undefined): Known {
    const id = idOf(collection);
    const present = this.#known.get(id);
    // Another definition of the kind may show other columns and fields.
    const isCurrent = present !== undefined && present.kind === kind && !present.index.isStopped;
    const known = isCurrent ? present : this.#open(collection, kind);
    // What there was no room for is tried again after a while, however often it is asked for.
    if (known.state !== 'tooLarge') known.usedAtMs = performance.now();
    this.#known.delete(id);
    this.#known.set(id, known);
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
    return known;
  }

  #open(collection: Collection, kind: CompiledKind | undefined): Known {
    const replaced = this.#known.get(idOf(collection));
    if (replaced !== undefined) this.#drop(replaced);
    const { promise: loaded, resolve, reject } = Promise.withResolvers<void>();
    const index = new CollectionIndex(this.#deps, collection, () => void this.#makeRoom());
    const known: Known = { collection, kind, loaded, index, state: 'loading', usedAtMs: performance.now() };
    // Those who wait for it get the failure; without them it is of no interest.
    loaded.catch(() => undefined);
    this.#load(known).then(resolve, (error: unknown) => {
      this.#drop(known);
      reject(error);
    });
    return known;
  }

  async #load(known: Known): Promise<void> {
    await this.#beginLoading(known);
    try {
      const isLoaded = !known.index.isStopped && (await known.index.load(() => this.#hasRoom(known)));
      if (known.index.isStopped) this.#drop(known);
      else if (isLoaded) known.state = 'ready';
      else this.#setTooLarge(known);
    } finally {
      this.#loading.delete(known);
      this.#beginNext();
    }
  }

  async #beginLoading(known: Known): Promise<void> {
    const { cluster } = known.collection;
    if (this.#mayLoad(cluster)) {
      this.#loading.add(known);
      return;
    }
    const queue = this.#waiting.get(cluster) ?? [];
    this.#waiting.set(cluster, queue);
    await new Promise<void>(begin => queue.push({ known, begin }));
  }

  #beginNext(): void {
    for (const [cluster, queue] of this.#waiting) {
      if (!this.#mayLoad(cluster)) continue;
      this.#waiting.delete(cluster);
      const next = queue.shift();
      if (next === undefined) continue;
      // The others of the cluster come after those of all other ones.
      if (queue.length > 0) this.#waiting.set(cluster, queue);
      this.#loading.add(next.known);
      next.begin();
      return;
    }
  }

  #mayLoad(cluster: string): boolean {
    return (
      this.#loading.size < maxLoading && ![...this.#loading].some(({ collection }) => collection.cluster === cluster)
    );
  }

  #setTooLarge(known: Known): void {
    known.index.stop();
    known.index = new CollectionIndex(this.#deps, known.collection);
    known.state = 'tooLarge';
    known.usedAtMs = performance.now();
  }

  /**
   * Whether one that is being read fits. Those that began after it do not count: they wait for it, which is why up to twice
   * the room is taken meanwhile.
   */
  async #hasRoom(known: Known): Promise<boolean> {
    for (;;) {
      const loading = [...this.#loading];
      if (this.#makeRoom(loading.slice(loading.indexOf(known) + 1))) return true;
      const [first] = loading;
      if (first === undefined || first === known) return false;
      await first.loaded.catch(() => undefined);
    }
  }

  /**
   * Drops indexes until everything fits: first those that are no longer asked for, then of the logical cluster that takes
   * most the one that was not used for longest. False when that one is still being read.
   */
  #makeRoom(uncounted: readonly Known[] = []): boolean {
    for (;;) {
      const { total, largest } = sizesOf([...this.#known.values()].filter(known => !uncounted.includes(known)));
      if (total <= this.#maxBytes) return true;
      const dispensable = this.#dispensableOf(largest);
      if (dispensable === undefined) return false;
      this.#drop(dispensable);
    }
  }

  #dispensableOf(cluster: string | undefined): Known | undefined {
    const ready = [...this.#known.values()].filter(({ state }) => state === 'ready');
    const quietSince = performance.now() - quietMs;
    return (
      ready.find(({ usedAtMs }) => usedAtMs < quietSince) ??
      ready.find(({ collection }) => collection.cluster === cluster)
    );
  }

  #drop(known: Known): void {
    known.index.stop();
    known.state = 'dropped';
    const id = idOf(known.collection);
    if (this.#known.get(id) === known) this.#known.delete(id);
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const oldest = performance.now() - this.#idleMs;
    for (const known of [...this.#known.values()]) if (known.usedAtMs < oldest) this.#drop(known);
    // Growth of less than what indexes report adds up.
    this.#makeRoom();
    if (this.#known.size > 0) this.#sweeping = setTimeout(() => this.#sweep(), this.#idleMs / 2).unref();
  }
}

const idOf = ({ cluster, resource }: Collection): string => `${cluster}|${resource}`;

/** The bytes of indexes, and the logical cluster that takes most of them. */
function sizesOf(all: readonly Known[]): { readonly total: number; readonly largest: string | undefined } {
  const bytesOf = new Map<string, number>();
  for (const { collection, index } of all)
    bytesOf.set(collection.cluster, (bytesOf.get(collection.cluster) ?? 0) + index.bytes);
  let [total, largest, most]: [number, string | undefined, number] = [0, undefined, 0];
  for (const [cluster, bytes] of bytesOf) {
    total += bytes;
    if (bytes > most) [largest, most] = [cluster, bytes];
  }
  return { total, largest };
}
