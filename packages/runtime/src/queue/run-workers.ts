import { type ChandleryError, toError } from '@chandlery/api';
import { type Span, silentTracer, systemClock, type Tracer, withCause, withSpan } from '@chandlery/platform';
import { TraceLinks } from '../controller/trace-links.ts';
import { classifyError, type ErrorClass } from '../helpers/errors.ts';
import { systemTimers, type Timers } from './timers.ts';
import type { Work, WorkQueue } from './work-queue.ts';

/** How a reconcile of a key ends: nothing is to be done until it is added again, or all again after a while. */
export type WorkResult = 'done' | { readonly requeueAfterMs: number };

/** What a reconcile knows besides its key. */
export interface WorkContext {
  /** How often the key failed in a row before. */
  readonly failures: number;
  /** Aborted when the workers stop and the grace period has ended. Hand it on to everything that waits. */
  readonly signal: AbortSignal;
}

/** A reconcile that threw. */
export interface WorkFailure<K> {
  readonly key: K;
  readonly error: ChandleryError;
  /** `terminal`: it is not tried again before the key is added again. */
  readonly class: Exclude<ErrorClass, 'conflict'>;
  /** In a row, this one included. */
  readonly failures: number;
}

export interface RunWorkersOptions<K> {
  /** Names the workers in the audit log and in traces. */
  readonly name: string;
  /** Where keys come from. The workers stop it when they are disposed of. */
  readonly queue: WorkQueue<K>;
  readonly work: (key: K, context: WorkContext) => WorkResult | Promise<WorkResult>;
  /** How many keys are worked on at a time. Default 1. */
  readonly concurrency?: number;
  /** Notified of failures, except of conflicts, which are only retried. Must not throw. Default: not notified. */
  readonly onFailure?: (failure: WorkFailure<K>) => void;
  /** Records the work that follows from traced writes. Default: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** The annotation that links the key's object to a trace; undefined without one. Default: keys have none. */
  readonly traceparentOf?: (key: K) => string | undefined;
  /** How long work in progress may take when the workers stop. Default 5,000. */
  readonly graceMs?: number;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/**
 * Reconciles the keys of a queue until disposed of. A key that throws is tried again with the queue's back-off, and does
 * not hold up any other; one that throws a terminal error waits until it is added again.
 */
export function runWorkers<K>(options: RunWorkersOptions<K>): AsyncDisposable {
  const { queue, concurrency = 1, graceMs = 5000, timers = systemTimers } = options;
  const stopping = new AbortController();
  const links = new TraceLinks(options.tracer ?? silentTracer, systemClock);
  const workers = Array.from({ length: concurrency }, () => workOff(options, links, stopping.signal));
  return {
    async [Symbol.asyncDispose]() {
      const cancel = timers.after(graceMs, () => stopping.abort());
      await queue.stop('abandon');
      cancel();
      await Promise.all(workers);
    },
  };
}

async function workOff<K>(options: RunWorkersOptions<K>, links: TraceLinks, signal: AbortSignal): Promise<void> {
  const { name, queue, traceparentOf } = options;
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
    using current = item;
    const { key, id } = current;
    const traceparent = traceparentOf?.(key);
    const span = links.startSpan(`reconcile ${name}`, id, traceparent);
    const work = () => withCause({ component: name, object: id }, () => reconcile(options, current, { signal, span }));
    const isDone = await withSpan(span, work);
    span.end();
    if (isDone) links.settle(id, traceparent);
  }
}

/** Returns whether nothing is left to do. */
async function reconcile<K>(
  { queue, work, onFailure }: RunWorkersOptions<K>,
  { key, failures }: Work<K>,
  { signal, span }: { readonly signal: AbortSignal; readonly span: Span },
): Promise<boolean> {
  try {
    const result = await work(key, { failures, signal });
    queue.forget(key);
    if (result !== 'done') queue.addAfter(key, result.requeueAfterMs);
    return result === 'done';
  } catch (thrown) {
    const errorClass = classifyError(thrown);
    span.recordError(toError(thrown));
    if (errorClass === 'terminal') queue.forget(key);
    else queue.addRateLimited(key);
    if (errorClass !== 'conflict' && !signal.aborted)
      onFailure?.({ key, error: toError(thrown), class: errorClass, failures: failures + 1 });
    return false;
  }
}
