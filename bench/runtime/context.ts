import type { BenchOptions } from './options.ts';

/** What every section is given. */
export interface BenchContext {
  readonly options: BenchOptions;
  /** An empty folder on a real disk. */
  readonly folder: string;
  /** Prints progress, apart from results. */
  readonly say: (text: string) => void;
}

/** Milliseconds that a call takes. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}
