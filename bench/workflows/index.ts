// `npm run bench -- workflows [--quick] [--only <section>]`: what workflows cost beside what their nodes do: a step, a wide loop,
// a step beside thousands of others, memory, and expressions. Prints tables and leaves the numbers in .cache/bench/workflows.json.
import { benchProgram, runBench } from '../bench-program.ts';
import type { Section } from '../runtime/report.ts';
import * as report from '../runtime/report.ts';
import { measureExpressions } from './expression-section.ts';
import { measureFanOut, measureSteps, measureTransitions } from './no-op-sections.ts';
import { parseOptions, type SectionName, type WorkflowBenchOptions, type WorkflowSizes } from './options.ts';
import { measureProcesses } from './process-section.ts';

const measures: Readonly<Record<SectionName, (sizes: WorkflowSizes) => Promise<Section>>> = {
  steps: measureSteps,
  'fan-out': measureFanOut,
  transitions: measureTransitions,
  processes: measureProcesses,
  expressions: measureExpressions,
};

async function run({ isQuick, sections: names, sizes }: WorkflowBenchOptions): Promise<void> {
  await runBench({ name: 'workflows', isQuick, report }, async ({ say, add }) => {
    for (const name of names) {
      say(name);
      add(await measures[name](sizes));
    }
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
