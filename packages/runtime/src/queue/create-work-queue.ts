import { type Clock, systemClock, TokenBucket } from '@chandlery/platform';
import { backOffMs } from './back-off.ts';
import { EarliestTimer } from './earliest-timer.ts';
import { type FairItem, FairOrder } from './fair-order.ts';
import { Heap } from './heap.ts';
import { systemTimers } from './timers.ts';
import type { AddOptions, StopMode, Work, WorkQueue, WorkQueueObserver, WorkQueueOptions } from './work-queue.ts';

/** A key with where it is: waiting for its time, for a worker, or for the end of the work on it. */
interface Item<K> extends FairItem {
  readonly id: string;
  readonly key: K;
  state: 'delayed' | 'ready' | 'held';
  /** From when on it may be handed out. */
  dueAtMs: number;
}

/** Creates an empty queue. The caller disposes of it. */
export function createWorkQueue<K>(options: WorkQueueOptions<K> = {}): WorkQueue<K> {
  return new FairWorkQueue(options);
}

class FairWorkQueue<K> implements WorkQueue<K> {
  readonly #options: WorkQueueOptions<K>;
  readonly #clock: Clock;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #bucket: TokenBucket | undefined;
  readonly #timer: EarliestTimer;
  readonly #idOf: (key: K) => string;

  /** Everything that waits, by identity. */
  readonly #items = new Map<string, Item<K>>();
  readonly #later = new Heap<Item<K>>((a, b) => a.dueAtMs < b.dueAtMs);
  readonly #ready: FairOrder<Item<K>>;
  /** Since when each key is being worked on, oldest first. */
  readonly #active = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  /** Workers that wait, in the order in which they came. */
  readonly #workers = new Set<(work: Work<K> | undefined) => void>();
  readonly #stopped = Promise.withResolvers<void>();
  #stopping: StopMode | undefined;
  #hasStopped = false;
  #order = 0;

  constructor(options: WorkQueueOptions<K>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#observer = options.observer;
    this.#idOf = options.idOf ?? defaultId;
    this.#ready = new FairOrder(options.weightOf);
    this.#bucket = options.rateLimit && new TokenBucket(options.rateLimit, this.#nowMs());
    this.#timer = new EarliestTimer({
      clock: this.#clock,
      timers: options.timers ?? systemTimers,
      onDue: () => this.#handOut(),
    });
    this.#observer?.opened(() => this.#activeSeconds());
  }

  get size(): number {
    return this.#ready.size;
  }

  get delayed(): number {
    return this.#later.size;
  }

  get active(): number {
    return this.#active.size;
  }

  add(key: K, options: AddOptions = {}): void {
    this.addAfter(key, 0, options);
  }

  addAfter(key: K, delayMs: number, options: AddOptions = {}): void {
    if (this.#stopping !== undefined) return;
    const now = this.#nowMs();
    const dueAtMs = now + Math.max(0, delayMs);
    const id = this.#idOf(key);
    const known = this.#items.get(id);
    if (known === undefined) this.#admit(this.#newItem({ id, key, dueAtMs, priority: options.priority ?? 0 }), now);
    else this.#hurry(known, { dueAtMs, priority: options.priority ?? 0, now });
    this.#handOut();
  }

  addRateLimited(key: K, options: AddOptions = {}): void {
    if (this.#stopping !== undefined) return;
    const id = this.#idOf(key);
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#observer?.retried();
    this.addAfter(key, backOffMs(failures, this.#options.backOff, this.#options.random), options);
  }

  forget(key: K): void {
    this.#failures.delete(this.#idOf(key));
  }

  next(signal?: AbortSignal): Promise<Work<K> | undefined> {
    if (signal?.aborted || this.#isClosed()) return Promise.resolve(undefined);
    return new Promise(resolve => {
      const leave = (): void => settle(undefined);
      const settle = (work: Work<K> | undefined): void => {
        this.#workers.delete(settle);
        signal?.removeEventListener('abort', leave);
        resolve(work);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#workers.add(settle);
      this.#handOut();
    });
  }

  async stop(mode: StopMode = 'abandon'): Promise<void> {
    if (this.#stopping !== 'abandon') this.#stopping = mode;
    while (this.#later.size > 0) this.#drop(this.#later.pop());
    if (mode === 'abandon') this.#abandon();
    this.#handOut();
    await this.#stopped.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('abandon');
  }

  #abandon(): void {
    while (this.#ready.size > 0) this.#drop(this.#ready.pop());
    this.#items.clear();
    this.#failures.clear();
    this.#observer?.depthChanged(0);
  }

  #drop(item: Item<K> | undefined): void {
    if (item !== undefined) this.#items.delete(item.id);
  }

  #newItem(parts: Pick<Item<K>, 'id' | 'key' | 'dueAtMs' | 'priority'>): Item<K> {
    const tenant = this.#options.tenantOf?.(parts.key) ?? '';
    return { ...parts, tenant, order: 0, heapIndex: -1, state: 'delayed' };
  }

  /** Puts an item that is in none of the places into the right one. */
  #admit(item: Item<K>, now: number): void {
    this.#items.set(item.id, item);
    if (item.dueAtMs > now) {
      item.state = 'delayed';
      this.#later.push(item);
      return;
    }
    this.#observer?.added();
    if (this.#active.has(item.id)) item.state = 'held';
    else this.#makeReady(item);
  }

  /** Adds what waits already: the higher priority and the earlier time count. */
  #hurry(item: Item<K>, wish: { dueAtMs: number; priority: number; now: number }): void {
    const isRaised = wish.priority > item.priority;
    if (isRaised) item.priority = wish.priority;
    if (item.state === 'ready' && isRaised) this.#ready.raised(item);
    if (item.state !== 'delayed' || wish.dueAtMs >= item.dueAtMs) return;
    this.#later.remove(item);
    item.dueAtMs = wish.dueAtMs;
    this.#admit(item, wish.now);
  }

  #makeReady(item: Item<K>): void {
    item.state = 'ready';
    item.order = this.#order++;
    this.#ready.push(item);
    this.#observer?.depthChanged(this.#ready.size);
  }

  /** Moves what has become due, gives workers what there is, and sees to it that this is called again in time. */
  #handOut(): void {
    const now = this.#nowMs();
    this.#collectDue(now);
    while (this.#workers.size > 0 && this.#ready.size > 0 && this.#mayGo(now)) this.#giveOne(now);
    const next = this.#later.peek();
    if (next !== undefined) this.#timer.setTo(next.dueAtMs);
    if (this.#isClosed()) this.#close();
  }

  #collectDue(now: number): void {
    for (let item = this.#later.peek(); item !== undefined && item.dueAtMs <= now; item = this.#later.peek()) {
      this.#later.pop();
      this.#admit(item, now);
    }
  }

  #mayGo(now: number): boolean {
    const waitMs = this.#bucket?.waitMs(now) ?? 0;
    if (waitMs > 0) this.#timer.setTo(now + waitMs);
    return waitMs === 0;
  }

  #giveOne(now: number): void {
    const [worker] = this.#workers;
    const item = this.#ready.pop();
    if (worker === undefined || item === undefined) return;
    this.#bucket?.take();
    this.#items.delete(item.id);
    this.#active.set(item.id, now);
    this.#observer?.depthChanged(this.#ready.size);
    this.#observer?.handedOut((now - item.dueAtMs) / 1000);
    worker(this.#workOf(item));
  }

  #workOf(item: Item<K>): Work<K> {
    let isDone = false;
    const done = (): void => {
      if (isDone) return;
      isDone = true;
      this.#finish(item.id);
    };
    const failures = this.#failures.get(item.id) ?? 0;
    return { key: item.key, id: item.id, priority: item.priority, failures, done, [Symbol.dispose]: done };
  }

  #finish(id: string): void {
    const now = this.#nowMs();
    this.#observer?.done((now - (this.#active.get(id) ?? now)) / 1000);
    this.#active.delete(id);
    const again = this.#items.get(id);
    if (again?.state === 'held') this.#makeReady(again);
    this.#handOut();
  }

  /** True when nothing will be handed out any more. */
  #isClosed(): boolean {
    if (this.#stopping === undefined) return false;
    // While work is in progress, a held key may still become ready.
    return this.#stopping === 'abandon' || this.#items.size === 0;
  }

  #close(): void {
    this.#timer.clear();
    for (const worker of [...this.#workers]) worker(undefined);
    if (this.#active.size > 0 || this.#hasStopped) return;
    this.#hasStopped = true;
    this.#observer?.closed();
    this.#stopped.resolve();
  }

  #activeSeconds(): number[] {
    const now = this.#nowMs();
    return [...this.#active.values()].map(sinceMs => (now - sinceMs) / 1000);
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

const defaultId = (key: unknown): string => (typeof key === 'string' ? key : JSON.stringify(key));
