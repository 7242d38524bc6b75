import { isError } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import type { Change, Store } from '../store/store.ts';
import { FeedEvent } from './feed-event.ts';
import { nextPageSize } from './next-page-size.ts';
import {
  type FeedListener,
  type FeedPart,
  type FeedScope,
  isInScope,
  ScopedListeners,
  scopesOfParts,
} from './scoped-listeners.ts';
import { splitAtGap } from './split-at-gap.ts';

const pageSize = 1000;
/** History is read in pages of about this size for those who follow; the first page is short, as its size is unknown. */
const pageBytes = 1024 * 1024;
const firstPageSize = 32;
const retryAfterMs = 200;
/** Changes beyond this number are not buffered during a read: they are read as well. */
const maxHeld = 10_000;

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
}

/**
 * Follows the store's history and delivers each change to the listeners of its scope: one reader for the whole process.
 * The store hands over what this process commits, so that only the writes of others have to be read.
 *
 * A batch is delivered synchronously, so no listener can act on a change that the process' own caches do not
 * know yet.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #store: Store;
  readonly #codec: SealedCodec;
  readonly #onFailure: (error: unknown) => void;
  readonly #listeners: ScopedListeners;
  readonly #gapListeners = new Set<() => void>();
  readonly #waiting = new Set<Waiter>();
  #position = 0;
  #delivered = 0;
  #gaps = 0;
  /** Changes that the store has handed over and that have not been delivered yet. */
  #handed: Change[] = [];
  #handOver: NodeJS.Immediate | undefined;
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #isStopped = false;
  #stopListening: () => void = () => undefined;

  constructor(options: { store: Store; codec: SealedCodec; onFailure: (error: unknown) => void }) {
    this.#store = options.store;
    this.#codec = options.codec;
    this.#onFailure = options.onFailure;
    this.#listeners = new ScopedListeners(options.onFailure);
  }

  /** The revision up to which changes have been delivered to every listener. */
  get position(): number {
    return this.#position;
  }

  /** What the feed has done so far, for metrics. */
  get stats(): { readonly delivered: number; readonly gaps: number; readonly listeners: number } {
    return { delivered: this.#delivered, gaps: this.#gaps, listeners: this.#listeners.size };
  }

  async start(): Promise<void> {
    this.#position = await this.#store.currentRevision();
    this.#stopListening = this.#store.onAdvance(committed => this.#advance(committed));
    this.#wake();
  }

  /** Resolves when `revision` has been delivered to every listener of this process, or when the feed is disposed of. */
  async reached(revision: number): Promise<void> {
    if (revision <= this.#position || this.#isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ revision, resolve });
    this.#hurryTo(revision);
    await promise;
  }

  /** Whether `revision` was reached before the time was over. */
  async reachedWithin(revision: number, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#position) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { revision, resolve };
    this.#waiting.add(waiter);
    const timer = setTimeout(resolve, timeoutMs);
    this.#hurryTo(revision);
    await promise;
    clearTimeout(timer);
    return !this.#waiting.delete(waiter);
  }

  /**
   * Calls `onGap` when history that the feed had not read yet is forgotten (a process that was cut off for longer than
   * history is kept): whatever is known from events may be stale. Returns the function that ends it.
   */
  onGap(onGap: () => void): () => void {
    // A function of our own, so that the same one may be added twice.
    const entry = (): void => onGap();
    this.#gapListeners.add(entry);
    return () => void this.#gapListeners.delete(entry);
  }

  /** Live events from now on. Returns the function that ends it. */
  listen(scope: FeedScope, listener: FeedListener): () => void {
    return this.#listeners.add(scope, listener);
  }

  /**
   * Everything in scope after `revision`: what history holds, then live events, without gap or duplicate.
   * Rejects with the store's `Compacted` when history does not reach back that far. With `parts`, only what is in them.
   */
  async follow(
    { parts, ...scope }: FeedScope & { readonly resource: string; readonly parts?: readonly FeedPart[] | undefined },
    revision: number,
    listener: FeedListener,
  ): Promise<() => void> {
    const { cluster, resource } = scope;
    const scopes = parts === undefined ? [scope] : scopesOfParts(scope, parts);
    const isWanted = ({ key }: Change): boolean => scopes.some(wanted => isInScope(wanted, key));
    let after = revision;
    let limit = firstPageSize;
    for (;;) {
      if (after >= this.#position) return this.#listenAfter(scopes, after, listener);
      const page = await this.#store.changes({ after, limit, collection: { cluster, resource } });
      limit = nextPageSize(page.changes, { pageBytes, maxSize: pageSize });
      const events = page.changes.filter(isWanted).map(change => this.#event(change));
      if (events.length > 0) await listener(events);
      after = Math.max(after, page.upTo);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    clearImmediate(this.#handOver);
    await this.#pumping;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #listenAfter(scopes: readonly FeedScope[], after: number, listener: FeedListener): () => void {
    const deliver: FeedListener = events => {
      const last = events.at(-1);
      if (last === undefined || last.revision <= after) return;
      const isAllNew = events[0] !== undefined && events[0].revision > after;
      return listener(isAllNew ? events : events.filter(event => event.revision > after));
    };
    const inOrder = scopes.length === 1 ? deliver : mergeInOrder(deliver, this.#onFailure);
    const stops = scopes.map(scope => this.listen(scope, inOrder));
    return () => stops.forEach(stop => stop());
  }

  #event(change: Change): FeedEvent {
    return new FeedEvent(change, this.#codec, this.#store);
  }

  #advance(committed: readonly Change[] | undefined): void {
    if (committed === undefined) return this.#wake();
    for (const change of committed) this.#handed.push(change);
    this.#scheduleHandOver();
  }

  /** In a later tick, so that the committing callers continue first, and changes of several commits are delivered together. */
  #scheduleHandOver(): void {
    if (this.#isStopped || this.#handed.length === 0) return;
    this.#handOver ??= setImmediate(() => {
      this.#handOver = undefined;
      this.#takeHanded();
    });
  }

  /** Delivers changes that follow directly on those delivered. Others wait for a read, or are read themselves. */
  #takeHanded(): void {
    const { next, beyond } = splitAtGap(this.#handed, this.#position);
    this.#handed = beyond;
    this.#tell(next, next.at(-1)?.revision ?? this.#position);
    if (this.#handed.length === 0) return;
    // A read that is under way may close the gap; reading on and on while others commit would never get us out of it.
    if (this.#pumping !== undefined && this.#handed.length <= maxHeld) return;
    this.#handed = [];
    this.#wake();
  }

  /** A caller waits for a revision: reads unless it is on its way. */
  #hurryTo(revision: number): void {
    const last = this.#handed.at(-1);
    if (last === undefined || last.revision < revision) this.#wake();
  }

  #wake(): void {
    this.#wanted = true;
    if (this.#isStopped || this.#pumping !== undefined) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      this.#scheduleHandOver();
      if (this.#wanted && !this.#isStopped) this.#wake();
    });
  }

  async #pump(): Promise<void> {
    while (this.#wanted && !this.#isStopped) {
      this.#wanted = false;
      try {
        await this.#readOn();
      } catch (error) {
        this.#onFailure(error);
        await new Promise(resolve => setTimeout(resolve, retryAfterMs));
        if (isError(error, 'Compacted')) await this.#jump().catch(this.#onFailure);
        this.#wanted = true;
      }
    }
  }

  /** History is compacted beyond our position: continues from the present. */
  async #jump(): Promise<void> {
    const current = await this.#store.currentRevision();
    this.#position = Math.max(this.#position, current);
    this.#gaps++;
    for (const onGap of [...this.#gapListeners]) onGap();
    this.#release();
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const page = await this.#store.changes({ after: this.#position, limit: pageSize });
      this.#tell(page.changes, page.upTo);
      if (!page.more) return;
    }
  }

  /** A change may be read and be handed over: whatever comes first counts. */
  #tell(changes: readonly Change[], upTo: number): void {
    const position = this.#position;
    const fresh = changes.filter(({ revision }) => revision > position);
    this.#delivered += fresh.length;
    this.#listeners.deliver(fresh.map(change => this.#event(change)));
    this.#position = Math.max(position, upTo);
    this.#release();
  }

  #release(): void {
    for (const waiter of this.#waiting) {
      if (waiter.revision > this.#position) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}

/**
 * Events of one batch come place by place: gathers those of all places and passes them on in the order of revisions.
 * A listener that resumes after its last event must not miss one before it.
 */
function mergeInOrder(listener: FeedListener, onFailure: (error: unknown) => void): FeedListener {
  let gathered: FeedEvent[] = [];
  const flush = (): void => {
    const events = gathered.sort((a, b) => a.revision - b.revision);
    gathered = [];
    void listener(events)?.catch(onFailure);
  };
  return events => {
    if (gathered.length === 0) queueMicrotask(flush);
    gathered.push(...events);
  };
}
