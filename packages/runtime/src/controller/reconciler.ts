import { ChandleryError, isError, type KubeObject, toError, traceparentOf } from '@chandlery/api';
import {
  type Clock,
  type Logger,
  silentLogger,
  silentTracer,
  systemClock,
  withCause,
  withSpan,
} from '@chandlery/platform';
import { classifyError } from '../helpers/errors.ts';
import { isDeleting } from '../helpers/finalizers.ts';
import { isTerminating } from '../helpers/is-terminating.ts';
import { systemTimers } from '../queue/timers.ts';
import { hasPausedAnnotation } from './annotations.ts';
import { cloneObject } from './clone-object.ts';
import { type Commit, planCommit, writeCommit } from './commit.ts';
import type { ControllerOptions } from './controller-options.ts';
import { parseKey } from './object-key.ts';
import type { OwnWrites } from './own-writes.ts';
import { ReconcileLimits } from './reconcile-limits.ts';
import { ReconcileMeter } from './reconcile-meter.ts';
import { type Outcome, type ReconcileRules, reconcileObject } from './reconcile-object.ts';
import type { NeedsOf } from './step.ts';
import { TraceLinks } from './trace-links.ts';

/** What to do with a key after a reconcile. */
export type Next =
  | { readonly type: 'nothing' }
  /** At once: the reconcile wrote the object itself, and the rest follows from what is stored now. */
  | { readonly type: 'again' }
  | { readonly type: 'later'; readonly afterMs: number }
  | { readonly type: 'back-off' };

const nothing: Next = { type: 'nothing' };

/** Reconciles objects: reads the object, runs the steps, writes once. Never throws. */
export class Reconciler<T extends KubeObject, Needs extends object | undefined> {
  readonly #options: ControllerOptions<T, Needs>;
  readonly #rules: ReconcileRules<T, Needs>;
  readonly #ownWrites: OwnWrites;
  /** Aborted when the controller must not write any more. */
  readonly #stopped: AbortSignal;
  readonly #limits: ReconcileLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #meter: ReconcileMeter;
  readonly #links: TraceLinks;

  constructor(options: ControllerOptions<T, Needs>, ownWrites: OwnWrites, stopped: AbortSignal) {
    this.#options = options;
    this.#rules = reconcileRules(options);
    this.#ownWrites = ownWrites;
    this.#stopped = stopped;
    this.#limits = new ReconcileLimits(stopped, options.timers ?? systemTimers);
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? silentLogger).child({ controller: options.name });
    this.#links = new TraceLinks(this.#rules.tracer, this.#clock);
    this.#meter = new ReconcileMeter(options.name, { metrics: options.metrics, concurrency: options.concurrency ?? 1 });
  }

  /** To be called for objects that were there before the controller: their traces have ended. */
  found(key: string, object: T): void {
    this.#links.settle(key, traceparentOf(object));
  }

  /** One reconcile of the object of the key, or none if there is no such object any more. */
  async reconcile(key: string, failures: number): Promise<Next> {
    const { namespace, name } = parseKey(key);
    const cached = this.#options.for.informer.get(namespace, name);
    if (cached === undefined) return nothing;
    const traceparent = traceparentOf(cached);
    const span = this.#links.startSpan(`reconcile ${this.#options.name}`, key, traceparent);
    const reconcile = this.#meter.start(this.#clock.now());
    const before = this.#ownWrites.latest(key, cached);
    const cause = { component: this.#options.name, object: key };
    const { outcome, next } = await withSpan(span, () =>
      withCause(cause, () => this.#reconcileAndWrite(key, before, failures)),
    );
    if (outcome.type === 'failed' && !isLostRace(outcome)) span.recordError(outcome.error);
    reconcile.end(this.#clock.now(), outcome, next);
    span.end();
    if (outcome.type === 'done' && next.type === 'nothing') this.#links.settle(key, traceparent);
    return next;
  }

  async #reconcileAndWrite(key: string, before: T, failures: number): Promise<{ outcome: Outcome; next: Next }> {
    const after = cloneObject(before);
    const outcome = await this.#runInTime(key, after, failures);
    if (this.#stopped.aborted) return { outcome, next: nothing };
    // What a reconcile did that lost a race is not worth keeping: the next one sees more.
    if (isLostRace(outcome)) return { outcome, next: { type: 'back-off' } };
    this.#log(key, outcome);
    try {
      const commit = planCommit(before, after);
      await this.#write(key, { commit, before, after });
      return { outcome, next: nextOf(outcome, commit, after) };
    } catch (thrown) {
      return this.#writeFailed(key, outcome, thrown);
    }
  }

  /** Runs the steps with a limit. A step that ignores its signal is waited for: no key is worked on twice at a time. */
  async #runInTime(key: string, object: T, failures: number): Promise<Outcome> {
    const { timeoutMs = 60_000 } = this.#options;
    using limit = this.#limits.begin(timeoutMs, () => tooLong(timeoutMs));
    const { signal } = limit;
    try {
      const context = { key, now: this.#clock.now(), signal, failures, logger: this.#logger.child({ key }) };
      return await reconcileObject(this.#rules, object, context);
    } catch (thrown) {
      return { type: 'failed', class: classifyError(thrown), error: toError(thrown) };
    } finally {
      if (limit.isTooLong) this.#meter.timedOut();
    }
  }

  async #write(key: string, { commit, before, after }: { commit: Commit; before: T; after: T }): Promise<void> {
    if (commit.type === 'nothing') return;
    const { client, name, for: own } = this.#options;
    const written = await writeCommit({ client, ref: own.ref, fieldManager: name }, commit, after);
    this.#ownWrites.add(key, before, written);
  }

  #writeFailed(key: string, outcome: Outcome, thrown: unknown): { outcome: Outcome; next: Next } {
    // Deleted meanwhile: the cache will say so.
    if (isError(thrown, 'NotFound')) return { outcome, next: nothing };
    const failed: Outcome = { type: 'failed', class: writeErrorClass(thrown), error: toError(thrown) };
    this.#log(key, failed);
    return { outcome: failed, next: { type: 'back-off' } };
  }

  #log(key: string, outcome: Outcome): void {
    if (outcome.type !== 'failed' || isLostRace(outcome)) return;
    const { code, message, cause } = outcome.error;
    // The stack of an unexpected error shows where it is.
    const unexpected = code === 'InternalError' && cause instanceof Error ? { stack: cause.stack } : {};
    const level = isTerminating(outcome.error) ? 'debug' : 'warn';
    this.#logger[level](`cannot reconcile: ${message}`, { key, code, class: outcome.class, ...unexpected });
  }
}

const isLostRace = (outcome: Outcome): boolean => outcome.type === 'failed' && outcome.class === 'conflict';

/** Nothing that goes wrong with a write is the end: rights and schemas change without the object doing so. */
const writeErrorClass = (thrown: unknown): 'conflict' | 'transient' =>
  classifyError(thrown) === 'conflict' ? 'conflict' : 'transient';

function nextOf(outcome: Outcome, commit: Commit, after: KubeObject): Next {
  switch (outcome.type) {
    case 'failed':
      // The first back-off is a few milliseconds: a lost race is tried again at once, but a lasting one is not a storm.
      return outcome.class === 'terminal' ? afterWrite(commit, after, nothing) : { type: 'back-off' };
    case 'retry':
      return afterWrite(commit, after, { type: 'later', afterMs: outcome.afterMs });
    case 'done':
      return afterWrite(commit, after, nothing);
  }
}

/** A reconcile that wrote the object itself has not written its status, and steps may have waited for the write. */
function afterWrite(commit: Commit, after: KubeObject, otherwise: Next): Next {
  if (commit.type !== 'object') return otherwise;
  const isRemoved = isDeleting(after) && (after.metadata.finalizers ?? []).length === 0;
  return isRemoved ? nothing : { type: 'again' };
}

const tooLong = (timeoutMs: number): ChandleryError =>
  new ChandleryError('ReconcileTimeout', `the reconcile took longer than ${timeoutMs} ms`);

function reconcileRules<T extends KubeObject, Needs extends object | undefined>(
  options: ControllerOptions<T, Needs>,
): ReconcileRules<T, Needs> {
  const { steps, onDelete = [], finalizer, needs, syncedCondition = 'Synced' } = options;
  return {
    steps,
    onDelete,
    finalizer,
    needsOf: typeof needs === 'function' ? (needs as NeedsOf<T, Needs>) : () => needs,
    onEnd: options.onEnd,
    isPaused: options.isPaused ?? hasPausedAnnotation,
    syncedCondition: syncedCondition === false ? undefined : syncedCondition,
    hasObservedGeneration: options.hasObservedGeneration ?? true,
    tracer: options.tracer ?? options.metrics?.tracer ?? silentTracer,
  };
}
