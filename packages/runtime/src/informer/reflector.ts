import { ChandleryError, isError, type KubeObject, toError, watchIdleTimeoutMs } from '@chandlery/api';
import type { WatchEvent } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';
import { backOffMs } from '../queue/back-off.ts';
import { pause, systemTimers, type Timers } from '../queue/timers.ts';
import { deepFreeze } from './deep-freeze.ts';
import { IdleWatchdog } from './idle-watchdog.ts';
import type { InformerOptions } from './informer.ts';
import { InitialEvents } from './initial-events.ts';
import { type ListedCollection, listCollection } from './list-collection.ts';
import type { SyncedCache } from './synced-cache.ts';

const defaultBackOff = { baseMs: 200, maxMs: 30_000, jitter: 0.5 };
/** A watch that lasted so long was a good one: its end is no reason to hesitate. */
const goodWatchMs = 1000;
/** After so many rejected resumptions the server may never accept one: everything is listed again. */
const rejectionsBeforeRelist = 3;
/** How servers reject initial events: as unknown, or, where what stores their objects is too old for it, by failing. */
const streamRefusals = ['Invalid', 'BadRequest', 'InternalError'] as const;
/** Old servers ignore the request for initial events and never mark their end. */
const initialEventsIdleMs = 10_000;

/**
 * Makes a cache follow a collection: reads all of it, follows its changes, and begins again after whatever goes wrong.
 *
 * All of it is read as the first events of the watch where the server offers this, else as a list before it.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: InformerOptions<T>;
  readonly #cache: SyncedCache<T>;
  readonly #onListed: () => void;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #random: () => number;
  #hasStreams: boolean;
  #mustRead = true;
  #failures = 0;
  #refusals = 0;

  constructor(options: InformerOptions<T>, cache: SyncedCache<T>, onListed: () => void) {
    this.#options = options;
    this.#cache = cache;
    this.#onListed = onListed;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
    this.#random = options.random ?? Math.random;
    this.#hasStreams = options.hasInitialEvents ?? true;
  }

  /** Runs until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#attempt(signal)) continue;
      this.#failures++;
      const backOff = { ...defaultBackOff, ...this.#options.backOff };
      await pause(this.#timers, backOffMs(this.#failures, backOff, this.#random), signal);
    }
  }

  /** True when the next attempt may follow at once. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#mustRead && !this.#hasStreams) await this.#list(signal);
      return await this.#watch(signal);
    } catch (thrown) {
      return signal.aborted || this.#noteFailure(toError(thrown));
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, ref, pageSize = 500 } = this.#options;
    const keep = (object: T): T => this.#keep(object);
    this.#replace(await listCollection<T>({ client, ref, pageSize, selection: this.#selection(), keep, signal }));
  }

  #replace({ items, resourceVersion }: ListedCollection<T>): void {
    this.#cache.replace(items, resourceVersion);
    this.#mustRead = false;
    this.#refusals = 0;
    this.#onListed();
  }

  /** Follows the collection until the watch ends. */
  async #watch(outer: AbortSignal): Promise<boolean> {
    const startedAtMs = this.#nowMs();
    const isGood = (): boolean => this.#nowMs() - startedAtMs >= goodWatchMs;
    const initial = this.#mustRead ? new InitialEvents<T>() : undefined;
    using watchdog = this.#watchdog(outer);
    try {
      for await (const event of this.#events(watchdog.signal)) {
        if (outer.aborted) return true;
        watchdog.touch();
        this.#take(this.#kept(event), initial);
      }
    } finally {
      if (isGood()) this.#noteSuccess();
    }
    return isGood();
  }

  #take(event: WatchEvent<T>, initial: InitialEvents<T> | undefined): void {
    if (initial !== undefined && this.#mustRead) {
      const all = initial.take(event);
      if (all !== undefined) this.#replace(all);
      return;
    }
    this.#noteSuccess();
    if (event.type === 'BOOKMARK') this.#cache.advance(event.object.metadata.resourceVersion ?? '');
    else this.#cache.apply({ type: event.type, object: event.object });
  }

  #events(signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    const { client, ref, watchSeconds = 300 } = this.#options;
    return client.watch<T>(ref, {
      ...this.#selection(),
      ...(this.#mustRead ? { hasInitialEvents: true } : { resourceVersion: this.#cache.resourceVersion }),
      // Not all at once: a landscape's watches were probably opened together.
      timeoutSeconds: Math.round(watchSeconds * (1 + this.#random())),
      signal,
    });
  }

  #watchdog(outer: AbortSignal): IdleWatchdog {
    const { idleMs: timeoutMs = watchIdleTimeoutMs } = this.#options;
    const idleMs = (): number => (this.#mustRead ? Math.min(timeoutMs, initialEventsIdleMs) : timeoutMs);
    const onIdle = (): void => {
      this.#report(watchIdle(this.#options.ref.plural, idleMs()));
      if (this.#mustRead) this.#hasStreams = false;
    };
    return new IdleWatchdog({ clock: this.#clock, timers: this.#timers, idleMs, onIdle, outer });
  }

  #selection() {
    const { labelSelector, fieldSelector } = this.#options;
    return {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }

  #kept(event: WatchEvent<T>): WatchEvent<T> {
    return event.type === 'BOOKMARK' ? event : { type: event.type, object: this.#keep(event.object) };
  }

  /** What the cache keeps. A transform that throws must not stop the collection: the object is kept as it came. */
  #keep(object: T): T {
    const { transform } = this.#options;
    if (transform === undefined) return deepFreeze(object);
    try {
      return deepFreeze(transform(object));
    } catch (thrown) {
      this.#report(toError(thrown));
      return deepFreeze(object);
    }
  }

  #noteSuccess(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /** True when the next attempt goes another way and need not wait. */
  #noteFailure(error: ChandleryError): boolean {
    if (this.#mustRead && this.#hasStreams && isError(error, ...streamRefusals)) {
      this.#hasStreams = false;
      return true;
    }
    if (!isError(error, 'ConnectionFailed')) this.#refusals++;
    const isRefused = this.#refusals >= rejectionsBeforeRelist;
    if (this.#mustRead && isRefused) this.#hasStreams = false;
    if (isRefused || isError(error, 'Expired', 'Gone')) this.#mustRead = true;
    this.#report(error);
    return false;
  }

  #report(error: ChandleryError): void {
    this.#options.onError?.(error);
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

const watchIdle = (plural: string, idleMs: number): ChandleryError =>
  new ChandleryError('WatchIdle', `the watch of ${plural} received no events for ${idleMs / 1000} s and is reopened`, {
    hint: 'If it happens often, a proxy between here and the server may hold back or drop long connections.',
  });
