import { randomInt } from 'node:crypto';

/** Chance that can be repeated: the same seed gives the same numbers. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }

  /** A whole number of `from` … `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }

  /** Another source that does not depend on how often this one is asked later. */
  fork(): Seeded {
    return new Seeded(this.between(0, 2 ** 32 - 1));
  }
}

/**
 * Runs a test that depends on chance. A failure names the seed; `CHANDLERY_TEST_SEED` repeats it, as far as the
 * scheduling of processes allows.
 */
export async function withSeed(test: (random: Seeded, seed: number) => Promise<void>): Promise<void> {
  const given = process.env.CHANDLERY_TEST_SEED;
  const seed = given === undefined ? randomInt(2 ** 32) : Number(given);
  try {
    await test(new Seeded(seed), seed);
  } catch (failure) {
    console.error(`failed with CHANDLERY_TEST_SEED=${seed}`);
    throw failure;
  }
}
