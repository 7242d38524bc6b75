import { isError } from '@chandlery/api';
import { type Commit, type CommitOutcome, type CommitResult, type StoreObserver, storeErrorCodes } from './store.ts';

const outcomes: ReadonlyMap<string, CommitOutcome> = new Map([
  [storeErrorCodes.PreconditionFailed, 'rejected'],
  [storeErrorCodes.UniqueViolation, 'rejected'],
  [storeErrorCodes.Unavailable, 'unavailable'],
]);

/** Measures commits for an observer, and costs nothing without one. */
export class CommitMeter {
  readonly #observer: StoreObserver | undefined;

  constructor(observer: StoreObserver | undefined) {
    this.#observer = observer;
  }

  /** Measures a commit from now until it has ended. */
  measure(commit: () => Promise<CommitResult>): Promise<CommitResult> {
    return this.#observer === undefined ? commit() : this.#measure(this.#observer, commit);
  }

  async #measure(observer: StoreObserver, commit: () => Promise<CommitResult>): Promise<CommitResult> {
    const startMs = performance.now();
    const seconds = (): number => (performance.now() - startMs) / 1000;
    try {
      const result = await commit();
      observer.commitEnded('committed', seconds());
      return result;
    } catch (failure) {
      observer.commitEnded((isError(failure) && outcomes.get(failure.code)) || 'failed', seconds());
      throw failure;
    }
  }

  /** To be called with the commits that became durable together. */
  group(commits: readonly Commit[]): void {
    if (this.#observer === undefined || commits.length === 0) return;
    let writes = 0;
    let bytes = 0;
    for (const commit of commits) {
      writes += commit.writes.length;
      for (const { value } of commit.writes) bytes += value.bytes.length;
    }
    this.#observer.groupCommitted({ commits: commits.length, writes, bytes });
  }
}
