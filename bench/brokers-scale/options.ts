import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

const sectionNames = ['start-up', 'queries', 'provisions', 'cascades', 'adoptions'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface ScaleOptions {
  readonly isQuick: boolean;
  /** Instances in the small store and in the large one. */
  readonly few: number;
  readonly many: number;
  /** Platforms that they are spread over in the large store; in the small one the same. */
  readonly platforms: number;
  /** Provisions of a round, and rounds; the two stores take turns. */
  readonly provisions: number;
  readonly rounds: number;
  readonly sections: readonly SectionName[];
}

const full = { few: 2000, many: 200_000, platforms: 20, provisions: 1000, rounds: 5 };
const quick = { few: 100, many: 1000, platforms: 2, provisions: 20, rounds: 2 };

/** Reads the command line. */
export function parseOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      many: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const sizes = values.quick ? quick : full;
  const numberOf = (text: string | undefined, usual: number): number => (text === undefined ? usual : Number(text));
  return {
    ...sizes,
    isQuick: values.quick,
    many: numberOf(values.many, sizes.many),
    rounds: numberOf(values.rounds, sizes.rounds),
    sections: chooseSections(values.only, sectionNames),
  };
}
