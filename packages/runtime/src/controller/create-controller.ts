import type { KubeObject } from '@chandlery/api';
import type { ChangeInfo } from '../informer/informer.ts';
import { createWorkQueue } from '../queue/create-work-queue.ts';
import { systemTimers } from '../queue/timers.ts';
import { relistPriority, type Work, type WorkQueue } from '../queue/work-queue.ts';
import type { Controller, ControllerOptions, WatchSource } from './controller-options.ts';
import { keyOf } from './object-key.ts';
import { OwnWrites } from './own-writes.ts';
import { type Next, Reconciler } from './reconciler.ts';

/** Creates a controller; `start` sets it to work, and the caller stops it. */
export function createController<T extends KubeObject, Needs extends object | undefined>(
  options: ControllerOptions<T, Needs>,
): Controller {
  return new QueuedController(options);
}

/** Turns changes into keys, keys into reconciles, and what became of a reconcile into keys again. */
class QueuedController<T extends KubeObject, Needs extends object | undefined> implements Controller {
  readonly name: string;
  readonly #options: ControllerOptions<T, Needs>;
  readonly #queue: WorkQueue<string>;
  readonly #ownWrites = new OwnWrites();
  readonly #reconciler: Reconciler<T, Needs>;
  readonly #abort = new AbortController();
  /** Changes of objects during their reconcile: only its end shows whether they were its own write. */
  readonly #duringReconcile = new Map<string, { changed?: T }>();
  readonly #unlisten: (() => void)[] = [];
  #workers: Promise<unknown> | undefined;
  #isStopped = false;

  constructor(options: ControllerOptions<T, Needs>) {
    const { name, tenantOf, backOff, rateLimit, metrics, clock, timers } = options;
    const observer = options.queueObserver ?? metrics?.observeQueue(name);
    this.name = name;
    this.#options = options;
    this.#queue = createWorkQueue<string>({
      ...(tenantOf && { tenantOf }),
      ...(backOff && { backOff }),
      ...(rateLimit && { rateLimit }),
      ...(observer && { observer }),
      ...(clock && { clock }),
      ...(timers && { timers }),
    });
    this.#reconciler = new Reconciler(options, this.#ownWrites, this.#abort.signal);
  }

  start(): void {
    if (this.#workers !== undefined || this.#isStopped) return;
    const { for: own, owns = [], watches = [], concurrency = 1 } = this.#options;
    const related = [...owns, ...watches];
    this.#listenToOwn();
    for (const source of related) this.#listenTo(source);
    const informers = [own.informer, ...related.map(({ informer }) => informer)];
    for (const informer of informers) informer.start();
    const synced = Promise.all(informers.map(informer => informer.synced));
    this.#workers = synced.then(
      () => Promise.all(Array.from({ length: concurrency }, () => this.#work())),
      // An informer that was stopped before it was synced: there is nothing to do, and its owner knows.
      () => undefined,
    );
  }

  enqueue(key: string): void {
    this.#add(key);
  }

  async stop({ graceMs = this.#options.graceMs ?? 30_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isStopped = true;
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    const abort = (): void => this.#abort.abort();
    if (graceMs <= 0) abort();
    const cancel = (this.#options.timers ?? systemTimers).after(graceMs, abort);
    await this.#queue.stop('abandon');
    cancel();
    // Callers that still wait for informers are not waited for; workers have ended with their queue.
    abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #listenToOwn(): void {
    const { informer } = this.#options.for;
    this.#unlisten.push(
      informer.listen({
        added: (object, info) => {
          if (info.isFromList) this.#reconciler.found(keyOf(object), object);
          this.#changed(object, info);
        },
        updated: (object, previous, info) => {
          if (object.metadata.resourceVersion !== previous.metadata.resourceVersion) this.#changed(object, info);
        },
        deleted: object => {
          this.#ownWrites.delete(keyOf(object));
          this.#add(keyOf(object));
        },
      }),
    );
  }

  #listenTo(source: WatchSource): void {
    const wake = (related: KubeObject, info?: ChangeInfo): void => {
      for (const key of source.mapToKeys(related)) this.#add(key, info);
    };
    this.#unlisten.push(
      source.informer.listen({
        added: wake,
        // Both: the change may have moved it from one object to another.
        updated: (related, previous, info) => {
          wake(previous, info);
          wake(related, info);
        },
        deleted: related => wake(related),
      }),
    );
  }

  #changed(object: T, info: ChangeInfo): void {
    const key = keyOf(object);
    const reconcile = this.#duringReconcile.get(key);
    if (reconcile !== undefined) reconcile.changed = object;
    else if (!this.#ownWrites.isOwnWrite(key, object)) this.#add(key, info);
  }

  #add(key: string, info?: ChangeInfo): void {
    if (this.#options.filter?.(key) === false) return;
    this.#queue.add(key, info?.isFromList ? { priority: relistPriority } : {});
  }

  /**
   * Not `runWorkers`: the reconciler classifies and reports failures itself and returns what follows, a back-off
   * included, and `stop` gets its grace period when it is called.
   */
  async #work(): Promise<void> {
    for (let work = await this.#queue.next(); work !== undefined; work = await this.#queue.next()) {
      using current = work;
      await this.#process(current);
    }
  }

  async #process({ key, failures }: Work<string>): Promise<void> {
    // What was added before a shard moved away is no longer ours.
    if (this.#options.filter?.(key) === false) return this.#queue.forget(key);
    const reconcile: { changed?: T } = {};
    this.#duringReconcile.set(key, reconcile);
    const next = await this.#reconciler.reconcile(key, failures);
    this.#duringReconcile.delete(key);
    if (reconcile.changed !== undefined && !this.#ownWrites.isOwnWrite(key, reconcile.changed)) this.#add(key);
    this.#follow(key, next);
  }

  #follow(key: string, next: Next): void {
    if (next.type === 'back-off') return this.#queue.addRateLimited(key);
    this.#queue.forget(key);
    if (next.type === 'again') this.#queue.add(key);
    if (next.type === 'later') this.#queue.addAfter(key, next.afterMs);
  }
}
