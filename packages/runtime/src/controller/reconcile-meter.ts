import type { ControllerMetrics, ReconcileResult } from './controller-metrics.ts';
import type { Outcome } from './reconcile-object.ts';
import type { Next } from './reconciler.ts';

/** A reconcile that is being measured. */
interface MeasuredReconcile {
  end(now: Date, outcome: Outcome, next: Next): void;
}

/** Feeds a controller's metrics, if there are any. */
export class ReconcileMeter {
  readonly #labels: { readonly controller: string };
  readonly #metrics: ControllerMetrics | undefined;

  constructor(controller: string, options: { metrics: ControllerMetrics | undefined; concurrency: number }) {
    this.#labels = { controller };
    this.#metrics = options.metrics;
    this.#metrics?.maxConcurrent.with(this.#labels).set(options.concurrency);
  }

  start(startedAt: Date): MeasuredReconcile {
    this.#metrics?.activeWorkers.with(this.#labels).inc();
    return { end: (now, outcome, next) => this.#end(now.getTime() - startedAt.getTime(), outcome, next) };
  }

  timedOut(): void {
    this.#metrics?.timeouts.with(this.#labels).inc();
  }

  #end(tookMs: number, outcome: Outcome, next: Next): void {
    if (this.#metrics === undefined) return;
    const result = resultOf(outcome, next);
    this.#metrics.activeWorkers.with(this.#labels).dec();
    this.#metrics.seconds.with(this.#labels).observe(tookMs / 1000);
    this.#metrics.total.with({ ...this.#labels, result }).inc();
    if (outcome.type !== 'failed' || result !== 'error') return;
    this.#metrics.errors.with(this.#labels).inc();
    if (outcome.class === 'terminal') this.#metrics.terminalErrors.with(this.#labels).inc();
    if (isProgrammingError(outcome.error.cause)) this.#metrics.panics.with(this.#labels).inc();
  }
}

function resultOf(outcome: Outcome, next: Next): ReconcileResult {
  if (outcome.type === 'failed') return outcome.class === 'conflict' ? 'requeue' : 'error';
  if (next.type === 'again') return 'requeue';
  return next.type === 'later' ? 'requeue_after' : 'success';
}

/** What Go would call a panic: the language itself objected. */
const isProgrammingError = (cause: unknown): boolean =>
  [TypeError, ReferenceError, RangeError, SyntaxError].some(mistake => cause instanceof mistake);
