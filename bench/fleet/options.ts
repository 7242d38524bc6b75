import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be measured. */
export const sectionNames = ['creates', 'reports', 'lists', 'polls', 'placement', 'ready'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface FleetBenchOptions {
  readonly isQuick: boolean;
  readonly sections: readonly SectionName[];
  /** Instances in the small store and in the large one. */
  readonly few: number;
  readonly many: number;
  /** Instances on each cluster, and of each organisation; so both stores have lists of the same length. */
  readonly perCluster: number;
  /** Requests of a round, and rounds; the two stores take turns. */
  readonly requests: number;
  readonly rounds: number;
  /** Clusters of one region, for placement. */
  readonly regionClusters: number;
  /** Instances that are ordered at once, from create to ready. */
  readonly inFlight: number;
  /** How long agents take while so many are in flight at a steady rate. */
  readonly installMs: number;
}

const full = {
  few: 1000,
  many: 100_000,
  perCluster: 100,
  requests: 400,
  rounds: 5,
  regionClusters: 1000,
  inFlight: 1000,
  installMs: 8000,
};
const quick = {
  few: 20,
  many: 100,
  perCluster: 10,
  requests: 20,
  rounds: 1,
  regionClusters: 20,
  inFlight: 20,
  installMs: 400,
};

/** Reads the command line. */
export function parseOptions(args: readonly string[]): FleetBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      many: { type: 'string' },
      rounds: { type: 'string' },
    },
  });
  const sizes = values.quick ? quick : full;
  const numberOf = (text: string | undefined, usual: number): number => (text === undefined ? usual : Number(text));
  return {
    ...sizes,
    isQuick: values.quick,
    sections: chooseSections(values.only, sectionNames),
    many: numberOf(values.many, sizes.many),
    rounds: numberOf(values.rounds, sizes.rounds),
  };
}
