import { Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { Collection, ListQuery, Store, StoredObject } from '../store/store.ts';
import { bytesOf, type Entry, type EntryKey, entryOf, type RankReader, rankOf } from './entry.ts';
import { KnownOrders } from './known-orders.ts';
import { compareKeys, type EntryOrder, orderBy, type SortKey } from './rank.ts';
import { SortedEntries } from './sorted-entries.ts';

/** What an index reads and follows. */
export interface IndexDeps {
  readonly store: Pick<Store, 'list'>;
  readonly feed: Pick<ChangeFeed, 'follow'>;
  readonly codec: SealedCodec;
}

/** A sort of a collection or of one of its namespaces. */
export interface SortRequest {
  readonly sort: SortKey;
  readonly isDescending: boolean;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** Reads what a column sorts by. Only for columns. */
  readonly read?: RankReader | undefined;
}

/** A column that was sorted by, and its place in the ranks of entries. */
interface Slot {
  readonly index: number;
  /** Undefined until it is asked for, and after a failure. */
  filled: Promise<void> | undefined;
}

const pieceBytes = 1024 * 1024;
const reportedGrowthBytes = 1024 * 1024;

/** A place for look-ups by key. */
const probe = ({ namespace, name }: EntryKey): Entry => ({
  namespace,
  name,
  sortName: '',
  revision: 0,
  state: 'exists',
  createdAtMs: 0,
  changedAtMs: 0,
  text: '',
  ranks: [],
});

/**
 * The objects of one collection as entries in memory, kept true by the feed: counts by state, and pages in any order.
 * What is read once is read in pieces, with rests between them.
 */
export class CollectionIndex {
  readonly #deps: IndexDeps;
  readonly #collection: Collection;
  readonly #byKey = new SortedEntries(compareKeys);
  readonly #orders = new KnownOrders(this);
  readonly #slots = new Map<string, Slot>();
  readonly #readers: RankReader[] = [];
  /** Each namespace once, however many objects it has. */
  readonly #namespaces = new Map<string, string>();
  readonly #onGrowth: () => void;
  #entryBytes = 0;
  #reportedBytes = 0;
  #stopFollowing: (() => void) | undefined;
  #isStopped = false;

  /** `onGrowth`: called when it takes a mebibyte more than when it was loaded, or at the last call. Default: no effect. */
  constructor(deps: IndexDeps, collection: Collection, onGrowth: () => void = () => {}) {
    this.#deps = deps;
    this.#collection = collection;
    this.#onGrowth = onGrowth;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** About how much memory its entries take. */
  get entryBytes(): number {
    return this.#entryBytes;
  }

  /** About how much memory its entries and their orders take. */
  get bytes(): number {
    return this.#entryBytes + this.#orders.bytes;
  }

  /** Whether it is no longer true: it was stopped, or could not take a change. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Reads the collection and follows it from then on; false when it was stopped or there is no room for it. `hasRoom`: asked
   * after each piece, and waited for.
   */
  async load(hasRoom: () => Promise<boolean>): Promise<boolean> {
    const revision = await this.#readAll(stored => this.#put(this.#entryOf(stored)), hasRoom);
    if (revision === undefined) return false;
    this.#reportedBytes = this.bytes;
    const stop = await this.#deps.feed.follow(this.#collection, revision, events => this.#take(events));
    if (this.#isStopped) stop();
    else this.#stopFollowing = stop;
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopFollowing?.();
  }

  /** The collection, or a namespace of it, in an order. */
  async sorted(request: SortRequest): Promise<SortedEntries> {
    const { sort, isDescending, namespace } = request;
    if (sort.type === 'key' && !isDescending && namespace === undefined) return this.#byKey;
    const id = JSON.stringify([sort.type, 'id' in sort ? sort.id : '', isDescending, namespace ?? null]);
    let known = this.#orders.get(id);
    if (known === undefined) {
      const order = await this.order(request);
      // Another request may have begun to make it meanwhile.
      known = this.#orders.get(id) ?? this.#orders.make(id, order, namespace);
    }
    await known.made;
    this.#reportGrowth();
    return known.entries;
  }

  /** The order of a sort, once every entry knows what it sorts by. */
  async order({ sort, isDescending, read }: Omit<SortRequest, 'namespace'>): Promise<EntryOrder> {
    const slot = sort.type === 'column' ? await this.#slotOf(sort.id, read) : 0;
    return orderBy(sort, { slot, isDescending });
  }

  find(key: EntryKey): Entry | undefined {
    return this.#byKey.find(probe(key));
  }

  /** The entries of a namespace, or all of them. A copy: entries may come and go while it is read. */
  entries(namespace?: string): readonly Entry[] {
    if (namespace === undefined) return this.#byKey.all();
    const found: Entry[] = [];
    for (const entry of this.#byKey.from(probe({ namespace, name: '' }))) {
      if (entry.namespace !== namespace) break;
      found.push(entry);
    }
    return found;
  }

  /** Makes every entry know what a column sorts by. From then on new entries do. */
  async #slotOf(id: string, read: RankReader = () => undefined): Promise<number> {
    const slot: Slot = this.#slots.get(id) ?? { index: this.#readers.push(read) - 1, filled: undefined };
    this.#slots.set(id, slot);
    slot.filled ??= this.#fillSlot(slot.index, read).catch((error: unknown) => {
      slot.filled = undefined;
      throw error;
    });
    await slot.filled;
    return slot.index;
  }

  async #fillSlot(slot: number, read: RankReader): Promise<void> {
    await this.#readAll(stored => {
      const entry = this.find(stored.key);
      if (entry?.revision !== stored.revision) return;
      this.#entryBytes -= bytesOf(entry);
      entry.ranks[slot] = rankOf(read, this.#open(stored));
      this.#entryBytes += bytesOf(entry);
    });
    this.#reportGrowth();
  }

  #reportGrowth(): void {
    const { bytes } = this;
    const isReported = bytes >= this.#reportedBytes + reportedGrowthBytes;
    if (isReported || bytes < this.#reportedBytes) this.#reportedBytes = bytes;
    if (isReported) this.#onGrowth();
  }

  /** Passes on all objects of one revision, and returns it; undefined when they were no longer wanted. */
  async #readAll(take: (stored: StoredObject) => void, hasRoom = async () => true): Promise<number | undefined> {
    const pace = new Pace();
    const query: ListQuery = { ...this.#collection, maxBytes: pieceBytes, isCounted: false };
    for (let page = await this.#deps.store.list(query); ; ) {
      for (const stored of page.items) {
        if (pace.isDue) await pace.rest();
        take(stored);
      }
      const after = page.items.at(-1)?.key;
      if (!(await hasRoom()) || this.#isStopped) return undefined;
      if (!page.more || after === undefined) return page.revision;
      page = await this.#deps.store.list({ ...query, after, at: page.revision });
    }
  }

  #take(events: readonly FeedEvent[]): void {
    try {
      for (const event of events) this.#apply(event);
    } catch (error) {
      // What it has missed cannot be made up for.
      this.stop();
      throw error;
    }
    this.#reportGrowth();
  }

  #apply(event: FeedEvent): void {
    const { key, type } = event.change;
    if (type === 'deleted') this.#remove(key);
    else this.#put(this.#entry(key, event.object, event.revision));
  }

  #put(entry: Entry): void {
    const before = this.#byKey.insert(entry);
    this.#entryBytes += bytesOf(entry) - (before === undefined ? 0 : bytesOf(before));
    this.#orders.put(entry, before);
  }

  #remove(key: EntryKey): void {
    const entry = this.#byKey.remove(probe(key));
    if (entry === undefined) return;
    this.#entryBytes -= bytesOf(entry);
    this.#orders.remove(entry);
  }

  #entryOf(stored: StoredObject): Entry {
    return this.#entry(stored.key, this.#open(stored), stored.revision);
  }

  #open({ key, value, revision }: StoredObject) {
    return decodeValue(this.#deps.codec.open(key, value), revision);
  }

  #entry({ namespace, name }: EntryKey, object: ReturnType<typeof decodeValue>, revision: number): Entry {
    const known = this.#namespaces.get(namespace);
    if (known === undefined) this.#namespaces.set(namespace, namespace);
    return entryOf({ namespace: known ?? namespace, name }, object, { revision, readers: this.#readers });
  }
}
