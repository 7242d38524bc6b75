import type { BenchOptions } from './options.ts';

/** What every section is given. */
export interface BenchContext {
  readonly options: BenchOptions;
  /** An empty folder on a real disk. */
  readonly folder: string;
  /** Prints progress, apart from results. */
  readonly say: (text: string) => void;
}
