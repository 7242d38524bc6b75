import type { PatternBudget } from '../patterns.ts';
import { threadMs } from '../thread-time.ts';

/** Thrown when an evaluation costs too much. */
export class BudgetExceededError extends Error {
  constructor() {
    super('the evaluation costs more than is allowed');
  }
}

export interface MeterOptions {
  /** Units of work for all rules of one object. Default one million: a fraction of a second. */
  readonly maxCost?: number;
  /** The processor time that all rules of one object may take, whatever they cost. Default 40: other requests wait. */
  readonly maxMs?: number;
  /** CPU milliseconds of this thread. Waiting does not count, so that a busy machine rejects no object. */
  readonly now?: () => number;
}

const clockInterval = 256;

/** Counts the work of one evaluation after the other: tenants write rules, and all of them share the process. */
export class Meter implements PatternBudget {
  readonly #maxCost: number;
  readonly #maxMs: number;
  readonly #now: () => number;
  #cost = 0;
  #nextLook = 0;
  #deadline = 0;

  constructor({ maxCost = 1_000_000, maxMs = 40, now = threadMs }: MeterOptions = {}) {
    this.#maxCost = maxCost;
    this.#maxMs = maxMs;
    this.#now = now;
  }

  get isExhausted(): boolean {
    return this.#cost > this.#maxCost;
  }

  /** Starts to count for the next object. */
  reset(): void {
    this.#cost = 0;
    this.#nextLook = clockInterval;
    this.#deadline = this.#now() + this.#maxMs;
  }

  /** Throws when the budget is spent, and ever after until the next object. */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost >= this.#nextLook) {
      this.#nextLook = this.#cost + clockInterval;
      if (this.#now() > this.#deadline) this.#cost = Number.POSITIVE_INFINITY;
    }
    if (this.isExhausted) throw new BudgetExceededError();
  }

  /** Pays for steps of a pattern while it runs. */
  chargeSteps(steps: number): void {
    this.charge(steps / stepsPerUnit);
  }
}

const stepsPerUnit = 50;
const charactersPerUnit = 16;

/** What it costs to look at a value once: its length, not its depth. */
export function costOf(value: unknown): number {
  if (typeof value === 'string') return value.length / charactersPerUnit;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  return value instanceof Uint8Array ? value.length / charactersPerUnit : 0;
}
