import { Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { Collection, ListQuery, Store, StoredObject } from '../store/store.ts';
import { bytesOf, type Entry, type EntryKey, entryOf, type RankReader, rankOf } from './entry.ts';
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

interface KnownOrder {
  readonly entries: SortedEntries;
  readonly namespace: string | undefined;
  readonly built: Promise<void>;
}

/** A column that entries know. */
interface Slot {
  readonly at: number;
  /** Undefined: the collection could not be read for it. */
  filled: Promise<void> | undefined;
}

const pieceBytes = 1024 * 1024;
/** About what an entry takes in an order. */
const placeBytes = 10;

async function builtOf({ entries, built }: KnownOrder): Promise<SortedEntries> {
  await built;
  return entries;
}

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
  readonly #orders = new Map<string, KnownOrder>();
  readonly #slots = new Map<string, Slot>();
  readonly #readers: RankReader[] = [];
  /** Each namespace once, however many objects it has. */
  readonly #namespaces = new Map<string, string>();
  readonly #onGrowth: () => void;
  #bytes = 0;
  #reportedBytes = 0;
  #stopFollowing: (() => void) | undefined;
  #isStopped = false;

  /** `onGrowth`: called now and again while it takes more memory than before. Default: it may take any. */
  constructor(deps: IndexDeps, collection: Collection, onGrowth: () => void = () => {}) {
    this.#deps = deps;
    this.#collection = collection;
    this.#onGrowth = onGrowth;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** About how much memory its entries and their orders take. */
  get bytes(): number {
    return this.#bytes + this.#orderBytes;
  }

  get #orderBytes(): number {
    let places = 0;
    for (const { entries } of this.#orders.values()) places += entries.size;
    return places * placeBytes;
  }

  /** Reads the collection and follows it from then on. `isWelcome`: asked now and again whether the size is still allowed. */
  async load(isWelcome: () => boolean): Promise<boolean> {
    const revision = await this.#readAll(stored => this.#put(this.#entryOf(stored)), isWelcome);
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
    const known = this.#orders.get(id);
    if (known !== undefined) return builtOf(known);
    const entries = new SortedEntries(await this.order(request));
    const other = this.#orders.get(id);
    return other === undefined ? this.#build(id, entries, namespace) : builtOf(other);
  }

  /** The order of a sort, once every entry knows what it sorts by. */
  async order({ sort, isDescending, read }: Omit<SortRequest, 'namespace'>): Promise<EntryOrder> {
    if (sort.type === 'column') await this.#slotOf(sort.id, read);
    const slotOf = (id: string): number => [...this.#slots.keys()].indexOf(id);
    return orderBy(sort, { slotOf, isDescending });
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

  async #build(id: string, entries: SortedEntries, namespace: string | undefined): Promise<SortedEntries> {
    // Orders take no more than the entries: those that were made first give way.
    for (const oldest of this.#orders.keys()) {
      if (this.#orderBytes + this.size * placeBytes <= this.#bytes) break;
      this.#orders.delete(oldest);
    }
    const built = this.#fill(entries, namespace);
    this.#orders.set(id, { entries, namespace, built });
    await built;
    this.#reportGrowth();
    return entries;
  }

  /** Changes that come meanwhile are made in the order too; an entry that was replaced is not inserted again. */
  async #fill(order: SortedEntries, namespace: string | undefined): Promise<void> {
    const pace = new Pace();
    for (const entry of this.entries(namespace)) {
      if (pace.isDue) await pace.rest();
      if (this.#byKey.find(entry) === entry) order.insert(entry);
    }
  }

  /** Makes every entry know what a column sorts by. From then on new entries do. */
  #slotOf(id: string, read: RankReader | undefined): Promise<void> {
    const slot = this.#slots.get(id) ?? { at: this.#readers.push(read ?? (() => undefined)) - 1, filled: undefined };
    this.#slots.set(id, slot);
    slot.filled ??= this.#fillSlot(slot.at, read).catch((error: unknown) => {
      slot.filled = undefined;
      throw error;
    });
    return slot.filled;
  }

  async #fillSlot(at: number, read: RankReader | undefined): Promise<void> {
    await this.#readAll(stored => {
      const entry = this.find(stored.key);
      if (entry?.revision !== stored.revision || read === undefined) return;
      this.#bytes -= bytesOf(entry);
      entry.ranks[at] = rankOf(read, this.#open(stored));
      this.#bytes += bytesOf(entry);
    });
    this.#reportGrowth();
  }

  #reportGrowth(): void {
    const { bytes } = this;
    if (bytes < this.#reportedBytes + pieceBytes) return;
    this.#reportedBytes = bytes;
    this.#onGrowth();
  }

  /** Passes on all objects of one revision, and returns it; undefined when they were no longer wanted. */
  async #readAll(take: (stored: StoredObject) => void, isWelcome = () => true): Promise<number | undefined> {
    const pace = new Pace();
    const query: ListQuery = { ...this.#collection, maxBytes: pieceBytes, isCounted: false };
    for (let page = await this.#deps.store.list(query); ; ) {
      for (const stored of page.items) {
        if (pace.isDue) await pace.rest();
        take(stored);
      }
      const after = page.items.at(-1)?.key;
      if (this.#isStopped || !isWelcome()) return undefined;
      if (!page.more || after === undefined) return page.revision;
      page = await this.#deps.store.list({ ...query, after, at: page.revision });
    }
  }

  #take(events: readonly FeedEvent[]): void {
    for (const event of events) {
      const { key, type } = event.change;
      if (type === 'deleted') this.#remove(key);
      else this.#put(this.#entry(key, event.object, event.revision));
    }
    this.#reportGrowth();
  }

  #put(entry: Entry): void {
    const before = this.#byKey.insert(entry);
    this.#bytes += bytesOf(entry) - (before === undefined ? 0 : bytesOf(before));
    for (const order of this.#ordersOf(entry)) {
      if (before !== undefined) order.remove(before);
      order.insert(entry);
    }
  }

  #remove(key: EntryKey): void {
    const entry = this.#byKey.remove(probe(key));
    if (entry === undefined) return;
    this.#bytes -= bytesOf(entry);
    for (const order of this.#ordersOf(entry)) order.remove(entry);
  }

  *#ordersOf(entry: Entry): Iterable<SortedEntries> {
    for (const { entries, namespace } of this.#orders.values())
      if (namespace === undefined || namespace === entry.namespace) yield entries;
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
