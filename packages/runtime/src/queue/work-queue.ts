import type { Clock, RateLimit } from '@chandlery/platform';
import type { BackOffOptions } from './back-off.ts';
import type { Timers } from './timers.ts';

/** Priority of items without a live change: a re-list, a resync. Live changes have 0. */
export const relistPriority = -100;

/** How urgent an addition is. */
export interface AddOptions {
  /** Higher goes first within a tenant; a key that waits already keeps the higher of both. Default 0. */
  readonly priority?: number;
}

/** A key that was handed out. It is not handed out again before `done`, which disposing of it calls too. */
export interface Work<K> extends Disposable {
  readonly key: K;
  /** Its identity as text. */
  readonly id: string;
  readonly priority: number;
  /** How often it failed in a row before: the number of `addRateLimited` since the last `forget`. */
  readonly failures: number;
  /** Ends the work. If the key was added meanwhile, it waits again from now on. May be called twice. */
  done(): void;
}

/** `drain`: what is ready is still handed out, what is delayed is dropped. `abandon`: everything is dropped. */
export type StopMode = 'drain' | 'abandon';

/**
 * Keys that wait for a worker, each at most once.
 *
 * A key that is being worked on is never handed out a second time; adding it meanwhile makes it wait again after `done`,
 * so no change is missed and nothing is done twice at a time. Tenants take turns, so that the items of one never hold up
 * another for longer than one round. All operations take O(log n).
 */
export interface WorkQueue<K> extends AsyncDisposable {
  /** How many keys wait and are due. */
  readonly size: number;
  /** How many keys wait for their time. */
  readonly delayed: number;
  /** How many keys are being worked on. */
  readonly active: number;
  /** Makes a key wait. One that waited for its time is due now. Ignored after `stop`. */
  add(key: K, options?: AddOptions): void;
  /** Makes a key wait from a later time on; of several times the earliest counts. Ignored after `stop`. */
  addAfter(key: K, delayMs: number, options?: AddOptions): void;
  /** Counts a failure of the key and adds it after its back-off. Ignored after `stop`. */
  addRateLimited(key: K, options?: AddOptions): void;
  /** Forgets the failures of a key, so that its next back-off is short again. Does not remove the key. */
  forget(key: K): void;
  /** The next key, as soon as there is one; undefined when the queue has stopped or the signal is aborted. */
  next(signal?: AbortSignal): Promise<Work<K> | undefined>;
  /**
   * Takes no more keys. Resolves when nothing is being worked on and, for `drain`, nothing waits any more (so workers must
   * continue to call `next`). Calling it again with `abandon` cuts a drain short. Disposing is `abandon`, the default.
   */
  stop(mode?: StopMode): Promise<void>;
}

/** Observes a queue, for metrics. Durations are in seconds. */
export interface WorkQueueObserver {
  /** Called once at the start, with how to ask how long each key has been worked on by now, longest first. */
  opened(activeSeconds: () => readonly number[]): void;
  /** The number of keys that are due changed. */
  depthChanged(depth: number): void;
  added(): void;
  /** A key was handed out after it had been due for so long. */
  handedOut(waitedSeconds: number): void;
  done(workedSeconds: number): void;
  retried(): void;
  /** The queue has stopped. */
  closed(): void;
}

/** How a queue works. All of it has defaults. */
export interface WorkQueueOptions<K> {
  /** Keys with the same identity are the same. Default: the string itself, or the key as JSON. */
  readonly idOf?: (key: K) => string;
  /** Who shares a turn. Must always say the same of one key. Default: one tenant for all. */
  readonly tenantOf?: (key: K) => string;
  /** How many items a tenant gets in each round: at least 1. Default 1. */
  readonly weightOf?: (tenant: string) => number;
  readonly backOff?: BackOffOptions;
  /** Default: none. */
  readonly rateLimit?: RateLimit;
  readonly observer?: WorkQueueObserver;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** From 0 up to but not 1. Default `Math.random`. */
  readonly random?: () => number;
}
