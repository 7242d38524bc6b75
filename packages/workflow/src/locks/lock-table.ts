import type { AcquireAction, LockRequest } from '../engine/actions.ts';
import type { LockGranted, LockWaiting } from '../engine/observations.ts';

/** How many may hold a semaphore at once; undefined when it does not exist. Mutexes are held by one. */
export type ReadLimit = (lock: string) => number | undefined;

interface Waiting {
  readonly holder: string;
  readonly locks: readonly LockRequest[];
  readonly priority: number;
  readonly requestedAt: number;
  /** Decides among those that asked at the same time. */
  readonly order: number;
}

export type LockAnswer =
  | LockGranted
  | LockWaiting
  | { readonly kind: 'lockFailed'; readonly holder: string; readonly message: string };

export interface LockOptions {
  /**
   * Nothing is granted until {@link LockTable.finishRestore}: after a restart, those that hold locks request them again
   * (`isHeld`), and none may get one before all of them have. Default: false.
   */
  readonly isRestoring?: boolean;
}

/**
 * Mutexes and semaphores of all workflows. A holder gets all its locks or none. Who waits longest comes first, among those
 * of the highest priority; for each lock only the first in line may take it, so that no holder starves.
 */
export class LockTable {
  readonly #readLimit: ReadLimit;
  #isRestoring: boolean;
  readonly #holders = new Map<string, Set<string>>();
  readonly #held = new Map<string, readonly LockRequest[]>();
  readonly #waiting = new Map<string, Waiting>();
  #requests = 0;

  constructor(readLimit: ReadLimit, { isRestoring = false }: LockOptions = {}) {
    this.#readLimit = readLimit;
    this.#isRestoring = isRestoring;
  }

  holds(holder: string): boolean {
    return this.#held.has(holder);
  }

  /** Takes the locks or puts the holder in line. */
  acquire({ holder, locks, priority, requestedAt, isHeld }: AcquireAction): LockAnswer[] {
    if (this.#held.has(holder)) return [{ kind: 'lockGranted', holder }];
    if (isHeld) {
      this.#take(holder, locks);
      return [];
    }
    const unknown = locks.find(lock => this.#limitOf(lock) === undefined);
    if (unknown !== undefined) {
      return [{ kind: 'lockFailed', holder, message: unknownLock(unknown) }];
    }
    const order = this.#waiting.get(holder)?.order ?? this.#requests++;
    this.#waiting.set(holder, { holder, locks, priority, requestedAt, order });
    const granted = this.#grant();
    const blocking = this.#waiting.has(holder) ? this.#blocking(locks) : undefined;
    return blocking === undefined ? granted : [...granted, this.#answer(holder, blocking)];
  }

  /** Gives back all locks of a holder, or its place in line. Returns who got locks by that. */
  release(holder: string): LockAnswer[] {
    this.#waiting.delete(holder);
    for (const { name } of this.#held.get(holder) ?? []) {
      const holders = this.#holders.get(name);
      holders?.delete(holder);
      if (holders?.size === 0) this.#holders.delete(name);
    }
    this.#held.delete(holder);
    return this.#grant();
  }

  /** Tries again, after the limit of a semaphore was changed. */
  refresh(): LockAnswer[] {
    return this.#grant();
  }

  /** All locks that were held before a restart are known. Returns who got locks by that. */
  finishRestore(): LockAnswer[] {
    this.#isRestoring = false;
    return this.#grant();
  }

  #grant(): LockAnswer[] {
    if (this.#isRestoring) return [];
    const granted: LockAnswer[] = [];
    const claimed = new Set<string>();
    for (const waiting of [...this.#waiting.values()].sort(byTurn)) {
      const isFree = waiting.locks.every(lock => !claimed.has(lock.name) && this.#free(lock) > 0);
      if (isFree) {
        this.#waiting.delete(waiting.holder);
        this.#take(waiting.holder, waiting.locks);
        granted.push({ kind: 'lockGranted', holder: waiting.holder });
      } else {
        for (const { name } of waiting.locks) claimed.add(name);
      }
    }
    return granted;
  }

  #take(holder: string, locks: readonly LockRequest[]): void {
    this.#held.set(holder, locks);
    for (const { name } of locks) {
      const holders = this.#holders.get(name) ?? new Set();
      holders.add(holder);
      this.#holders.set(name, holders);
    }
  }

  #limitOf({ kind, name }: LockRequest): number | undefined {
    if (name.split('/')[1] === 'Database') return undefined;
    return kind === 'mutex' ? 1 : this.#readLimit(name);
  }

  #free(lock: LockRequest): number {
    return (this.#limitOf(lock) ?? 0) - (this.#holders.get(lock.name)?.size ?? 0);
  }

  #blocking(locks: readonly LockRequest[]): LockRequest | undefined {
    return locks.find(lock => this.#free(lock) <= 0) ?? locks[0];
  }

  #answer(holder: string, lock: LockRequest): LockAnswer {
    const status = `${Math.max(0, this.#free(lock))}/${this.#limitOf(lock) ?? 0}`;
    const message = `Waiting for ${lock.name} lock. Lock status: ${status}`;
    return { kind: 'lockWaiting', holder, lock: lock.name, message };
  }
}

const unknownLock = ({ kind, name }: LockRequest): string =>
  name.split('/')[1] === 'Database'
    ? `database session is not available for ${kind} ${name}`
    : `failed to initialize semaphore ${name} with limit`;

const byTurn = (a: Waiting, b: Waiting): number =>
  b.priority - a.priority || a.requestedAt - b.requestedAt || a.order - b.order;
