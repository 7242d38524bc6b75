import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be run alone by `--only`, in the order of a whole run. */
export const sectionNames = ['catalog', 'last-operation', 'provision', 'bind', 'notifications'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface Sizes {
  /** All ways to the broker take turns so many times; the median counts. */
  readonly rounds: number;
  /** How long each turn takes. */
  readonly turnMs: number;
  /** How long each way is asked before the first turn, until its code is compiled. */
  readonly warmUpMs: number;
  /** Requests under way at a time, each on a connection of its own. */
  readonly connections: number;
  /** Instances that are there from the start, to be polled and bound. */
  readonly instances: number;
  /** Proxies that listen for changes. */
  readonly proxies: number;
  /** The number of changes that are sent, one at a time. */
  readonly changes: number;
}

const fullSizes: Sizes = {
  rounds: 3,
  turnMs: 1200,
  warmUpMs: 10_000,
  connections: 32,
  instances: 100,
  proxies: 1000,
  changes: 20,
};
const quickSizes: Sizes = {
  rounds: 1,
  turnMs: 100,
  warmUpMs: 50,
  connections: 4,
  instances: 4,
  proxies: 10,
  changes: 3,
};

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly withPostgres: boolean;
  readonly withNginx: boolean;
  readonly sections: readonly SectionName[];
  readonly sizes: Sizes;
}

/** Reads the command line. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      'no-postgres': { type: 'boolean', default: false },
      'no-nginx': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    isQuick: values.quick,
    withPostgres: !values['no-postgres'],
    withNginx: !values['no-nginx'],
    sections: chooseSections(values.only, sectionNames),
    sizes: values.quick ? quickSizes : fullSizes,
  };
}
