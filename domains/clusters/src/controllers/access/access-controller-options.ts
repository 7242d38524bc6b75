import type { KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import type { ControllerMetrics, Informer, Timers, WatchSource } from '@chandlery/runtime';

/** The options of both controllers. */
export interface SharedControllerOptions {
  readonly logger: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** Adapts the type: controllers accept related objects of any kind. */
export const related = <R extends KubeObject>(
  informer: Informer<R>,
  mapToKeys: (object: R) => readonly string[],
): WatchSource => ({
  informer: informer,
  mapToKeys: object => mapToKeys(object as R),
});
