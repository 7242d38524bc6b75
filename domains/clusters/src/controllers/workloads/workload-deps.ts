import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import type { ControllerMetrics, ControllerOptions, EventRecorder, WorkQueueObserver } from '@chandlery/runtime';
import type { PodNode } from '../../ports.ts';
import type { WorkloadCaches } from './workload-caches.ts';

/** The dependencies of the controllers of one local cluster. */
export interface WorkloadDeps {
  readonly client: Client;
  readonly caches: WorkloadCaches;
  readonly events: EventRecorder;
  readonly node: PodNode;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics | undefined;
  readonly queueObserverOf: ((controller: string) => WorkQueueObserver) | undefined;
}

/** Options for controllers of built-in kinds, which have their own pause and no place for our conditions. */
export const plainOptions = <T extends KubeObject>(
  deps: WorkloadDeps,
  name: string,
): Pick<
  ControllerOptions<T, object>,
  | 'name'
  | 'client'
  | 'clock'
  | 'logger'
  | 'metrics'
  | 'queueObserver'
  | 'isPaused'
  | 'syncedCondition'
  | 'hasObservedGeneration'
> => ({
  name,
  client: deps.client,
  clock: deps.clock,
  logger: deps.logger,
  ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }),
  ...(deps.queueObserverOf === undefined ? {} : { queueObserver: deps.queueObserverOf(name) }),
  isPaused: () => false,
  syncedCondition: false,
  hasObservedGeneration: false,
});
