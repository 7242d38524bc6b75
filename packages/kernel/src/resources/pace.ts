import { setImmediate as nextTurn } from 'node:timers/promises';
import { threadMs } from '../schema/thread-time.ts';

/** So long a request may work before the others have their turn. */
const maxWorkMs = 10;

/**
 * Lets others work between the steps of a request on a large object: one thread serves every tenant. For requests on
 * ordinary objects it costs a look at the clock.
 */
export class Pace {
  #sinceMs = threadMs();

  /** To be awaited between two steps; what was decided before must not depend on what others may change. */
  async rest(): Promise<void> {
    if (threadMs() - this.#sinceMs < maxWorkMs) return;
    await nextTurn();
    this.#sinceMs = threadMs();
  }
}
