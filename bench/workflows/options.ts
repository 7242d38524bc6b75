import { parseArgs } from 'node:util';
import { chooseSections } from '../choose-sections.ts';

/** What can be measured. */
export const sectionNames = ['steps', 'fan-out', 'transitions', 'processes', 'expressions'] as const;
export type SectionName = (typeof sectionNames)[number];

/** How much is measured. */
export interface WorkflowSizes {
  /** Steps of a workflow, one after the other. */
  readonly steps: number;
  /** Items of loops: of the usual one, and of the large one and its counterpart. */
  readonly wide: number;
  readonly few: number;
  readonly many: number;
  /** Workflows at once. */
  readonly fewWorkflows: number;
  readonly workflows: number;
  readonly processes: number;
  readonly evaluations: number;
  readonly warmUps: number;
}

export interface WorkflowBenchOptions {
  readonly isQuick: boolean;
  readonly sections: readonly SectionName[];
  readonly sizes: WorkflowSizes;
}

const full: WorkflowSizes = {
  steps: 300,
  wide: 1000,
  few: 100,
  many: 10_000,
  fewWorkflows: 10,
  workflows: 1000,
  processes: 20,
  evaluations: 200_000,
  warmUps: 15,
};
const quick: WorkflowSizes = {
  steps: 5,
  wide: 10,
  few: 2,
  many: 20,
  fewWorkflows: 1,
  workflows: 3,
  processes: 2,
  evaluations: 100,
  warmUps: 1,
};

/** Reads the command line. */
export function parseOptions(args: readonly string[]): WorkflowBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
  });
  return {
    isQuick: values.quick,
    sections: chooseSections(values.only, sectionNames),
    sizes: values.quick ? quick : full,
  };
}
