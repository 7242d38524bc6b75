import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be run alone by `--only`, in the order of a whole run. */
export const sectionNames = ['writes', 'reads', 'watch', 'https', 'fan-out', 'clusters', 'start'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface Sizes {
  /** Ours and the others take turns so many times; the median counts. */
  readonly rounds: number;
  /** How long each turn of a throughput measurement takes. */
  readonly turnMs: number;
  readonly writers: readonly number[];
  readonly readers: readonly number[];
  readonly watchers: readonly number[];
  /** Changes that are timed for each number of watchers. */
  readonly watchSamples: number;
  /** Numbers of stored objects at which the cost of a write and of a list is taken; the rest is measured at the last. */
  readonly objects: readonly number[];
  readonly matching: number;
  readonly connections: readonly number[];
  readonly fanOutChanges: number;
  readonly clusters: number;
  readonly starts: number;
  readonly settleMs: number;
}

const fullSizes: Sizes = {
  rounds: 3,
  turnMs: 1500,
  writers: [1, 16, 64, 256],
  readers: [1, 64],
  watchers: [1, 1000],
  watchSamples: 100,
  objects: [1000, 10_000, 100_000],
  matching: 500,
  connections: [1, 16, 64],
  fanOutChanges: 200,
  clusters: 2000,
  starts: 5,
  settleMs: 5000,
};

const quickSizes: Sizes = {
  rounds: 1,
  turnMs: 100,
  writers: [1, 64],
  readers: [1, 16],
  watchers: [1, 20],
  watchSamples: 5,
  objects: [50, 200],
  matching: 20,
  connections: [1, 16],
  fanOutChanges: 5,
  clusters: 20,
  starts: 1,
  settleMs: 100,
};

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly withEtcd: boolean;
  readonly sections: readonly SectionName[];
  readonly sizes: Sizes;
}

/** Reads the command line. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      'no-etcd': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    isQuick: values.quick,
    withEtcd: !values['no-etcd'],
    sections: chooseSections(values.only, sectionNames),
    sizes: values.quick ? quickSizes : fullSizes,
  };
}
