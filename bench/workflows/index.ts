// `npm run bench -- workflows [--quick] [--only <section>]`: what workflows cost beside what their nodes do: a step, a wide loop,
// a step beside thousands of others, memory, and expressions. Prints tables and leaves the numbers in .cache/bench/workflows.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { cacheFolder } from '../kernel/disk.ts';
import { formatSection, type Section, verdicts, writeJson } from '../runtime/report.ts';
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
  const sections: Section[] = [];
  for (const name of names) {
    console.error(`  … ${name}`);
    const section = await measures[name](sizes);
    sections.push(section);
    console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', isQuick ? 'workflows-quick.json' : 'workflows.json');
  await writeJson(path, sections);
  console.log(['Aims', ...verdicts(sections).map(line => `  ${line}`), ''].join('\n'));
  if (isQuick) console.log('This was a quick run: it shows that everything works, its numbers mean nothing.');
  console.log(`The numbers are in ${path}.`);
}

try {
  await run(parseOptions(process.argv.slice(2)));
} catch (thrown) {
  const { message, hint } = toError(thrown);
  console.error(`bench: ${message}${hint === undefined ? '' : `\n${hint}`}`);
  process.exitCode = 1;
}
