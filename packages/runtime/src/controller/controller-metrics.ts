import {
  type Counter,
  type Family,
  type Gauge,
  type Histogram,
  type MetricsRegistry,
  silentTracer,
  type Tracer,
} from '@chandlery/platform';
import type { WorkQueueObserver } from '../queue/work-queue.ts';
import { createWorkQueueMetrics } from '../queue/work-queue-metrics.ts';

/** How a reconcile ended, in controller-runtime's words. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** The metrics of all controllers of a process, under the names that controller-runtime gave them, and their tracer. */
export interface ControllerMetrics {
  readonly total: Family<Counter, 'controller' | 'result'>;
  readonly errors: Family<Counter, 'controller'>;
  readonly terminalErrors: Family<Counter, 'controller'>;
  readonly panics: Family<Counter, 'controller'>;
  readonly timeouts: Family<Counter, 'controller'>;
  readonly seconds: Family<Histogram, 'controller'>;
  readonly maxConcurrent: Family<Gauge, 'controller'>;
  readonly activeWorkers: Family<Gauge, 'controller'>;
  /** The observer of a queue: of a controller, or of workers without one. Queues of one name are measured together. */
  observeQueue(name: string): WorkQueueObserver;
  readonly tracer: Tracer;
}

/** Registers the metrics, those of work queues included; once per registry, and shared by its controllers. */
export function createControllerMetrics(registry: MetricsRegistry, tracer: Tracer = silentTracer): ControllerMetrics {
  const labels = ['controller'] as const;
  const counter = (name: string, help: string): Family<Counter, 'controller'> =>
    registry.counter({ name: `controller_runtime_${name}`, help, labels });
  const gauge = (name: string, help: string): Family<Gauge, 'controller'> =>
    registry.gauge({ name: `controller_runtime_${name}`, help, labels });
  return {
    total: registry.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by how they ended.',
      labels: ['controller', 'result'],
    }),
    errors: counter('reconcile_errors_total', 'Reconciles that failed, terminal failures included.'),
    terminalErrors: counter('terminal_reconcile_errors_total', 'Reconciles that failed for good.'),
    panics: counter('reconcile_panics_total', 'Reconciles that failed by a programming error.'),
    timeouts: counter('reconcile_timeouts_total', 'Reconciles that took longer than their limit.'),
    seconds: registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of reconciles.',
      labels,
    }),
    maxConcurrent: gauge('max_concurrent_reconciles', 'How many reconciles may run at a time.'),
    activeWorkers: gauge('active_workers', 'How many reconciles run now.'),
    observeQueue: createWorkQueueMetrics(registry),
    tracer,
  };
}
