/** Where the time comes from. Passed in, so that decisions about time can be tested without waiting. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is advanced. For tests. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(start: Date | string = '2030-01-01T00:00:00Z') {
    this.#nowMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  set(instant: Date | string): void {
    this.#nowMs = new Date(instant).getTime();
  }
}
