import { type Clock, LruCache, parseTraceparent, type Span, silentTracer, type Tracer } from '@chandlery/platform';

/** Reconciles later than this after the first one of a write are maintenance, not its consequence. */
const maxTraceMs = 15 * 60_000;
/** Of more objects than these, the ones that were reconciled longest ago may join a trace that has ended. */
const maxLinks = 20_000;

interface Link {
  readonly traceparent: string;
  /** Zero: a reconcile has succeeded since. */
  readonly endsAtMs: number;
}

/**
 * The traces that reconciles are part of: that of the last write which changed what the object asks for, until a
 * reconcile has succeeded. Reconciles for other reasons (drift, timers) are part of none.
 */
export class TraceLinks {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  readonly #links = new LruCache<string, Link>(maxLinks);

  constructor(tracer: Tracer, clock: Clock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  /** The span of a reconcile of the object of the key, which has this `traceparent`. */
  startSpan(name: string, key: string, traceparent: string | undefined): Span {
    const parent = this.#isOngoing(key, traceparent) ? parseTraceparent(traceparent) : undefined;
    const attributes = { 'chandlery.object': key };
    return this.#tracer.startSpan(name, { kind: 'consumer', parent: parent ?? null, needsParent: true, attributes });
  }

  /** What was asked for with this `traceparent` is done. */
  settle(key: string, traceparent: string | undefined): void {
    if (this.#tracer === silentTracer || traceparent === undefined) return;
    this.#links.set(key, { traceparent, endsAtMs: 0 });
  }

  #isOngoing(key: string, traceparent: string | undefined): boolean {
    if (this.#tracer === silentTracer || traceparent === undefined) return false;
    const nowMs = this.#clock.now().getTime();
    const known = this.#links.get(key);
    if (known?.traceparent === traceparent) return nowMs < known.endsAtMs;
    this.#links.set(key, { traceparent, endsAtMs: nowMs + maxTraceMs });
    return true;
  }
}
