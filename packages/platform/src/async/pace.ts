import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long a request may work before the others have their turn. */
const maxWorkMs = 5;

/** Work that is done in steps: between two of them others may have their turn. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Lets others work between the steps of a request on a large object: one thread serves every tenant. For requests on
 * ordinary objects it costs a look at the clock.
 */
export class Pace {
  #sinceMs = performance.now();

  /** Whether the request has worked long enough: `if (pace.isDue) await pace.rest()` costs ordinary requests no tick. */
  get isDue(): boolean {
    return performance.now() - this.#sinceMs >= maxWorkMs;
  }

  /** To be awaited between two steps; what was decided before must not depend on what others may change. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#sinceMs = performance.now();
  }

  /** Does all steps, with rests between them; without any, and at once, when they take little time. */
  run<T>(steps: Steps<T>): T | Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (this.isDue) return this.#continue(steps);
    }
  }

  async #continue<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      await this.rest();
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
        if (this.isDue) break;
      }
    }
  }
}
