import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Clock, Logger, RateLimit, Tracer } from '@chandlery/platform';
import type { Informer } from '../informer/informer.ts';
import type { BackOffOptions } from '../queue/back-off.ts';
import type { Timers } from '../queue/timers.ts';
import type { WorkQueueObserver } from '../queue/work-queue.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { NeedsOf, Step } from './step.ts';

/** Other objects whose changes concern those of the controller. */
export interface WatchSource<R extends KubeObject = KubeObject> {
  readonly informer: Informer<R>;
  /** The keys (`namespace/name`) of the objects to enqueue. */
  mapToKeys(related: R): readonly string[];
}

/** What a controller does, for which objects, and how. */
export interface ControllerOptions<T extends KubeObject, Needs extends object | undefined> {
  /** Names it in metrics, logs and traces, and is its field manager. */
  readonly name: string;
  /** Writes the objects. Not disposed of by the controller. */
  readonly client: Pick<Client, 'patch' | 'update'>;
  /** The objects: where they are written, and the cache they are read from. */
  readonly for: { readonly ref: ResourceRef; readonly informer: Informer<T> };
  /** What the steps create; see `controllerKeys` for the way back. Default none. */
  readonly owns?: readonly WatchSource[];
  /** What else the steps look at. Default none. */
  readonly watches?: readonly WatchSource[];
  readonly steps: readonly Step<T, Needs>[];
  /** What the steps need from the world; a function is called for each reconcile. */
  readonly needs: Needs | NeedsOf<T, Needs>;
  /** Reports the end of the steps in the object, before it is written; `thrown` is what one of them threw. Default: none. */
  readonly onEnd?: (needs: Needs, thrown: unknown) => void | Promise<void>;
  /** Keeps an object from going before `onDelete` is through. Default: deleted objects are not looked at. */
  readonly finalizer?: string;
  /** Run instead of `steps` for an object that is being deleted; the finalizer goes when all say `continue`. */
  readonly onDelete?: readonly Step<T, Needs>[];
  /** How many objects are reconciled at a time. Default 1. */
  readonly concurrency?: number;
  /** Who takes turns. Default: one tenant for all. */
  readonly tenantOf?: (key: string) => string;
  /** Which objects are this process's business, such as `owns` of shards. Default: all. */
  readonly filter?: (key: string) => boolean;
  /** Default: the annotation `chandlery.io/paused` is `"true"`. */
  readonly isPaused?: (object: T) => boolean;
  /** The condition that states whether the last reconcile failed; false for kinds without conditions. Default `Synced`. */
  readonly syncedCondition?: string | false;
  /** Whether `status.observedGeneration` is kept. Default true. */
  readonly hasObservedGeneration?: boolean;
  /** After which a reconcile is aborted. Default 60,000. */
  readonly timeoutMs?: number;
  /** How long `stop` waits before it aborts running reconciles. Default 30,000. */
  readonly graceMs?: number;
  readonly backOff?: BackOffOptions;
  readonly rateLimit?: RateLimit;
  /** Default: that of `metrics`. */
  readonly queueObserver?: WorkQueueObserver;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Records the reconciles that follow from traced writes. Default: that of `metrics`. */
  readonly tracer?: Tracer;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** A running controller. */
export interface Controller extends AsyncDisposable {
  readonly name: string;
  /** Starts the informers it was given (and does not stop them); reconciles begin when all are synced. */
  start(): void;
  /** Asks for a reconcile, whatever happened. */
  enqueue(key: string): void;
  /**
   * Takes no more work and waits for running reconciles, which are aborted after the grace period. Nothing is written once
   * they are aborted: who has lost a lease stops with `graceMs: 0`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}
