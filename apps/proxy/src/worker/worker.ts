import { toError } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import { createWorkQueue, type Work, type WorkQueue } from '@chandlery/runtime';
import type { ProxyMetrics } from '../metrics.ts';
import { failureFields } from '../model/failure-fields.ts';
import type { HandledRevisions } from '../model/handled-revisions.ts';
import { mergeSubjects, type Subject, subjectKey } from '../model/subjects.ts';
import type { ProxySettings } from '../settings.ts';
import type { Failure, Reconciler } from './reconciler.ts';

/** How the last comparison of everything went. */
export interface ResyncReport {
  readonly at: string;
  /** Parts that failed and are tried again. */
  readonly failures: number;
}

export interface WorkerOptions {
  readonly reconciler: Pick<Reconciler, 'reconcile'>;
  readonly revisions: HandledRevisions;
  readonly settings: Pick<
    ProxySettings,
    'retryDelayMs' | 'maxRetryDelayMs' | 'resyncPeriodMs' | 'rotateCredentialsAfterMs'
  >;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Default: nothing is measured. */
  readonly metrics?: Pick<ProxyMetrics, 'queue' | 'reconciled'>;
  /** Something was handled. */
  readonly onProgress: () => void;
}

/** What waits, and because of which revisions. */
interface Waiting {
  readonly subject: Subject;
  readonly revisions: readonly number[];
}

const everything: Subject = { type: 'all' };

/**
 * Handles subjects one at a time. What fails is tried again by itself, soon and then less and less often; a comparison of
 * everything stands for all that waits.
 */
export class ProxyWorker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #queue: WorkQueue<string>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #problems = new Map<string, string>();
  readonly #running: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #lastResync: ResyncReport | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { retryDelayMs: baseMs, maxRetryDelayMs: maxMs } = options.settings;
    const { metrics } = options;
    this.#queue = createWorkQueue({ backOff: { baseMs, maxMs }, ...(metrics && { observer: metrics.queue }) });
    this.#restartTimer();
    this.#running = this.#run();
  }

  get lastResync(): ResyncReport | undefined {
    return this.#lastResync;
  }

  /** What fails at the moment, and why. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  /** Asks for a look at subjects because of a revision, or for no reason. */
  add(subjects: readonly Subject[], revision?: number): void {
    if (revision !== undefined) this.#options.revisions.received(revision, subjects.length);
    const revisions = revision === undefined ? [] : [revision];
    for (const subject of subjects) {
      this.#wait({ subject, revisions });
      this.#queue.add(subjectKey(subject), { priority: subject.type === 'all' ? 1 : 0 });
    }
    if (subjects.length === 0) this.#options.onProgress();
  }

  /** Asks for a comparison of everything. */
  resync(revision?: number): void {
    this.add([everything], revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#queue.stop('abandon');
    await this.#running;
  }

  #wait({ subject, revisions }: Waiting): void {
    const key = subjectKey(subject);
    const before = this.#waiting.get(key);
    const merged = before === undefined ? subject : mergeSubjects(before.subject, subject);
    this.#waiting.set(key, { subject: merged, revisions: [...(before?.revisions ?? []), ...revisions] });
  }

  /** Not `runWorkers`: a comparison that succeeds may have parts that failed, and its own back-off then continues. */
  async #run(): Promise<void> {
    for (let work = await this.#queue.next(); work !== undefined; work = await this.#queue.next()) {
      using current = work;
      await this.#process(current);
    }
  }

  async #process({ key, failures }: Work<string>): Promise<void> {
    const taken = this.#take(key);
    // A comparison of everything has done it meanwhile.
    if (taken === undefined) return this.#queue.forget(key);
    const { logger, reconciler, metrics } = this.#options;
    const startMs = performance.now();
    const ended = (isSuccess: boolean): void =>
      metrics?.reconciled(taken.subject.type, isSuccess, (performance.now() - startMs) / 1000);
    try {
      const failed = await reconciler.reconcile(taken.subject);
      ended(failed.length === 0);
      this.#succeeded(taken, failed);
    } catch (thrown) {
      ended(false);
      const error = toError(thrown);
      this.#problems.set(key, error.message);
      logger.warn('reconcile failed, will retry', { subject: key, failures: failures + 1, ...failureFields(error) });
      this.#wait(taken);
      this.#queue.addRateLimited(key);
    }
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    if (waiting?.subject.type !== 'all') {
      this.#waiting.delete(key);
      return waiting;
    }
    const revisions = [...this.#waiting.values()].flatMap(other => other.revisions);
    this.#waiting.clear();
    return { subject: everything, revisions };
  }

  #succeeded({ subject, revisions }: Waiting, failures: readonly Failure[]): void {
    const key = subjectKey(subject);
    // The delay of what has failed again, in part, keeps growing.
    if (!failures.some(failure => subjectKey(failure.subject) === key)) this.#queue.forget(key);
    if (subject.type === 'all') this.#resynced(failures.length);
    else this.#problems.delete(key);
    for (const failure of failures) this.#retryPart(failure, revisions);
    this.#options.revisions.settled(revisions);
    this.#options.onProgress();
  }

  #resynced(failures: number): void {
    this.#problems.clear();
    this.#lastResync = { at: this.#options.clock.now().toISOString(), failures };
    this.#options.logger.info('resync completed', { failures });
    this.#restartTimer();
  }

  /** A part holds back the revisions of the whole until it is through. */
  #retryPart({ subject, error }: Failure, revisions: readonly number[]): void {
    const key = subjectKey(subject);
    for (const revision of revisions) this.#options.revisions.received(revision, 1);
    this.#problems.set(key, error.message);
    this.#options.logger.warn('reconcile failed, will retry', { subject: key, ...failureFields(error) });
    this.#wait({ subject, revisions });
    this.#queue.addRateLimited(key);
  }

  #restartTimer(): void {
    const { resyncPeriodMs, rotateCredentialsAfterMs } = this.#options.settings;
    clearTimeout(this.#timer);
    const periodMs = rotateCredentialsAfterMs > 0 ? Math.min(resyncPeriodMs, rotateCredentialsAfterMs) : resyncPeriodMs;
    this.#timer = setTimeout(() => this.resync(), Math.min(periodMs, 2 ** 31 - 1)).unref();
  }
}
