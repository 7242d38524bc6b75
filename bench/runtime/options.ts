import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be run alone by `--only`, in the order of a whole run. */
export const sectionNames = ['fairness', 'throughput', 'latency', 'drift', 'memory'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface Sizes {
  /** Objects that are reconciled, watched and resumed. */
  readonly objects: number;
  /** Objects that the one-after-the-other loops go through. */
  readonly loopObjects: number;
  /** Objects of the noisy tenant, which fail for ever. */
  readonly failing: number;
  /** Changes that are timed. */
  readonly samples: number;
  /** Changes that are timed where each waits for the whole noise. */
  readonly slowSamples: number;
}

const fullSizes: Sizes = { objects: 10_000, loopObjects: 1000, failing: 10_000, samples: 200, slowSamples: 5 };
const quickSizes: Sizes = { objects: 60, loopObjects: 20, failing: 60, samples: 5, slowSamples: 2 };

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly sections: readonly SectionName[];
  readonly sizes: Sizes;
}

/** Reads the command line. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    isQuick: values.quick,
    sections: chooseSections(values.only, sectionNames),
    sizes: values.quick ? quickSizes : fullSizes,
  };
}
