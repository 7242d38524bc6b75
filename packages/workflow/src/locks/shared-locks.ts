import type { AcquireAction } from '../engine/actions.ts';
import { type LockAnswer, type LockOptions, LockTable, type ReadLimit } from './lock-table.ts';

interface Listener {
  readonly owner: string;
  readonly notify: (answer: LockAnswer) => void;
}

/** A lock table for several workflows in one process: each answer goes to the listener of its holder. */
export class SharedLocks {
  readonly #table: LockTable;
  readonly #listeners = new Map<string, Listener>();
  /** Holders by owner, so that {@link forget} costs nothing for the workflows of others. */
  readonly #holders = new Map<string, Set<string>>();

  /** Default: no semaphore exists, only mutexes. */
  constructor(readLimit: ReadLimit = () => undefined, options: LockOptions = {}) {
    this.#table = new LockTable(readLimit, options);
  }

  /** Requests locks for a holder. The owner is the workflow that {@link forget} names. */
  acquire(action: AcquireAction, owner: string, notify: (answer: LockAnswer) => void): void {
    this.#listeners.set(action.holder, { owner, notify });
    const holders = this.#holders.get(owner) ?? new Set();
    this.#holders.set(owner, holders.add(action.holder));
    this.#notify(this.#table.acquire(action));
  }

  release(holder: string): void {
    const owner = this.#listeners.get(holder)?.owner ?? '';
    const holders = this.#holders.get(owner);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(owner);
    this.#listeners.delete(holder);
    this.#notify(this.#table.release(holder));
  }

  /** Gives back everything that a workflow holds or waits for. */
  forget(owner: string): void {
    for (const holder of [...(this.#holders.get(owner) ?? [])]) this.release(holder);
  }

  /** Tries again, after limits of semaphores were changed. */
  refresh(): void {
    this.#notify(this.#table.refresh());
  }

  /** All locks that were held before a restart have been requested again: those who wait may get the others. */
  finishRestore(): void {
    this.#notify(this.#table.finishRestore());
  }

  #notify(answers: readonly LockAnswer[]): void {
    for (const answer of answers) this.#listeners.get(answer.holder)?.notify(answer);
  }
}
