import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** Sections that `--only` can select, in the order of a whole run. */
export const sectionNames = ['fan-out', 'idle', 'delta', 'mesh-size', 'certificates'] as const;
export type SectionName = (typeof sectionNames)[number];

/** Connections and streams of the clients. */
export interface Layout {
  readonly connections: number;
  readonly streamsPerConnection: number;
}

/** Sizes of the measurements. */
export interface Sizes {
  /** Layouts of fan-out and idle streams. */
  readonly layouts: readonly Layout[];
  /** Layout of the comparison of protocols, and of the subscribers in a large mesh. */
  readonly layout: Layout;
  /** Endpoints per cluster. */
  readonly endpoints: readonly number[];
  /** Responses of each server before anything is timed. */
  readonly warmUpResponses: number;
  /** Number of timed changes; the median is reported. */
  readonly changes: number;
  /**
   * Bounds the changes of the simple server by the number of endpoints that it encodes, with a minimum of one change.
   */
  readonly naiveEndpoints: number;
  /** Services that each stream of the comparison of protocols subscribes to. */
  readonly namesPerStream: number;
  /** Services of a small mesh and of a large one, with ten endpoints each. */
  readonly fewServices: number;
  readonly manyServices: number;
  /** Unaffected streams of the large mesh. */
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

/** Parses the command line. */
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
