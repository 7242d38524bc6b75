import type { PatternBudget } from './patterns.ts';
import { threadMs } from './thread-time.ts';

/** So long may the patterns of one object take; every tenant waits meanwhile. */
export const maxPatternMs = 20;
const stepsPerLook = 2000;

/** Thrown when matching takes too long. */
export class PatternTimeoutError extends Error {
  constructor() {
    super(`matching patterns took more than ${maxPatternMs} ms`);
  }
}

/** The budget of one validation: processor time of this thread since the first steps that are worth a look at the clock. */
export class PatternClock implements PatternBudget {
  #steps = 0;
  #startMs: number | undefined;
  #isExhausted = false;

  /** True once it has thrown: nothing more is to be matched. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  chargeSteps(steps: number): void {
    this.#steps += steps;
    if (this.#steps < stepsPerLook) return;
    this.#steps = 0;
    const now = threadMs();
    this.#startMs ??= now;
    if (now - this.#startMs <= maxPatternMs) return;
    this.#isExhausted = true;
    throw new PatternTimeoutError();
  }
}
