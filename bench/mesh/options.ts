import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be run alone by `--only`, in the order of a whole run. */
export const sectionNames = ['fan-out', 'idle', 'delta', 'mesh-size', 'certificates'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How streams come in. */
export interface Layout {
  readonly connections: number;
  readonly streamsPerConnection: number;
}

/** How much is measured. */
export interface Sizes {
  /** Of the fan-out and of idle streams. */
  readonly layouts: readonly Layout[];
  /** Of the streams that try the two protocols, and that subscribe to one service of a large mesh. */
  readonly layout: Layout;
  /** Of clusters. */
  readonly endpoints: readonly number[];
  /** Responses that each server sends before anything is timed. */
  readonly warmUpResponses: number;
  /** Changes that are timed; the median counts. */
  readonly changes: number;
  /** The simple server is given as many changes as it can encode with so many endpoints, but at least one. */
  readonly naiveEndpoints: number;
  /** Services whose endpoints, or clusters, each stream of the two protocols knows. */
  readonly namesPerStream: number;
  /** Services of a small mesh and of a large one, with ten endpoints each. */
  readonly fewServices: number;
  readonly manyServices: number;
  /** Streams of the large mesh that are not concerned. */
  readonly bystanders: Layout;
  readonly certificates: number;
}

const fullSizes: Sizes = {
  layouts: [
    { connections: 1000, streamsPerConnection: 1 },
    { connections: 100, streamsPerConnection: 50 },
    { connections: 100, streamsPerConnection: 100 },
  ],
  layout: { connections: 100, streamsPerConnection: 10 },
  endpoints: [10, 100, 1000],
  warmUpResponses: 30_000,
  changes: 9,
  naiveEndpoints: 15_000_000,
  namesPerStream: 100,
  fewServices: 100,
  manyServices: 10_000,
  bystanders: { connections: 100, streamsPerConnection: 40 },
  certificates: 2000,
};
const quickSizes: Sizes = {
  layouts: [{ connections: 2, streamsPerConnection: 10 }],
  layout: { connections: 2, streamsPerConnection: 5 },
  endpoints: [10, 50],
  warmUpResponses: 40,
  changes: 2,
  naiveEndpoints: 1000,
  namesPerStream: 5,
  fewServices: 5,
  manyServices: 50,
  bystanders: { connections: 2, streamsPerConnection: 5 },
  certificates: 20,
};

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
