import type { KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import type { ControllerMetrics, Informer, RelatedSource, Timers } from '@chandlery/runtime';

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
): RelatedSource => ({
  informer: informer,
  mapToKeys: object => mapToKeys(object as R),
});
