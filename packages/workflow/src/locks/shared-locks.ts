import type { AcquireAction } from '../engine/actions.ts';
import { type LockAnswer, LockTable, type ReadLimit } from './lock-table.ts';

/** A lock table for several workflows in one process: each answer goes to the listener of its holder. */
export class SharedLocks {
  readonly #table: LockTable;
  readonly #listeners = new Map<string, (answer: LockAnswer) => void>();

  /** Default: no semaphore exists, only mutexes. */
  constructor(readLimit: ReadLimit = () => undefined) {
    this.#table = new LockTable(readLimit);
  }

  acquire(action: AcquireAction, listener: (answer: LockAnswer) => void): void {
    this.#listeners.set(action.holder, listener);
    this.#tell(this.#table.acquire(action));
  }

  release(holder: string): void {
    this.#listeners.delete(holder);
    this.#tell(this.#table.release(holder));
  }

  #tell(answers: readonly LockAnswer[]): void {
    for (const answer of answers) this.#listeners.get(answer.holder)?.(answer);
  }
}
