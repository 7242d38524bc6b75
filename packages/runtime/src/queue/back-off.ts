/** How long to wait after failures in a row. */
export interface BackOffOptions {
  /** After the first failure. Default 5. */
  readonly baseMs?: number;
  /** Never longer than this. Default 1,000,000. */
  readonly maxMs?: number;
  /** The share of a delay that is random, so that keys which failed together are not retried together. Default 0.2. */
  readonly jitter?: number;
}

/** The delay after the given number of failures in a row: doubled each time, capped, shortened at random. */
export function backOffMs(failures: number, options: BackOffOptions = {}, random: () => number = Math.random): number {
  const { baseMs = 5, maxMs = 1_000_000, jitter = 0.2 } = options;
  const full = Math.min(baseMs * 2 ** Math.max(0, failures - 1), maxMs);
  return full * (1 - jitter * random());
}
