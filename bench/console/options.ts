import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be measured. */
export const sectionNames = ['load', 'lists', 'busy', 'trace', 'memory'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface ConsoleBenchOptions {
  readonly isQuick: boolean;
  readonly sections: readonly SectionName[];
  /** Objects of the large kind, and of the small one that is the baseline. */
  readonly many: number;
  readonly few: number;
  /** Nodes of the large trace, and of the small one. */
  readonly nodes: number;
  readonly fewNodes: number;
  readonly changesPerMinute: number;
  /** Repetitions of each action. */
  readonly samples: number;
  readonly scrollMs: number;
  readonly minutes: number;
  /** The address of the same list in Headlamp. Undefined: it is not measured. */
  readonly headlamp: string | undefined;
}

const full = {
  many: 100_000,
  few: 100,
  nodes: 5000,
  fewNodes: 50,
  changesPerMinute: 5000,
  samples: 7,
  scrollMs: 4000,
  minutes: 2,
};
const quick = {
  many: 300,
  few: 60,
  nodes: 60,
  fewNodes: 10,
  changesPerMinute: 600,
  samples: 1,
  scrollMs: 500,
  minutes: 0.05,
};

/** Reads the command line. */
export function parseOptions(args: readonly string[]): ConsoleBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      many: { type: 'string' },
      minutes: { type: 'string' },
      samples: { type: 'string' },
      headlamp: { type: 'string' },
    },
  });
  const sizes = values.quick ? quick : full;
  const numberOf = (text: string | undefined, usual: number): number => (text === undefined ? usual : Number(text));
  return {
    ...sizes,
    isQuick: values.quick,
    sections: chooseSections(values.only, sectionNames),
    many: numberOf(values.many, sizes.many),
    minutes: numberOf(values.minutes, sizes.minutes),
    samples: numberOf(values.samples, sizes.samples),
    headlamp: values.headlamp,
  };
}
