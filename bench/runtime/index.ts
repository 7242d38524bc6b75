// `npm run bench -- runtime [--quick] [--only <section>]`: the runtime in process and over HTTPS. Prints tables and
// leaves the numbers in .cache/bench/runtime.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { cacheFolder, makeDataFolder } from '../kernel/disk.ts';
import type { BenchContext } from './context.ts';
import { measureDrift } from './drift.ts';
import { measureFairness } from './fairness.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { type BenchOptions, parseOptions, type SectionName } from './options.ts';
import { formatSection, type Section, verdicts, writeJson } from './report.ts';
import { measureThroughput } from './throughput.ts';

const measures: Readonly<Record<SectionName, (context: BenchContext) => Promise<Section | Section[]>>> = {
  fairness: measureFairness,
  throughput: measureThroughput,
  latency: measureLatency,
  drift: measureDrift,
  memory: measureMemory,
};

async function run(options: BenchOptions): Promise<void> {
  await using folder = await makeDataFolder();
  const say = (text: string): void => console.error(`  … ${text}`);
  const sections: Section[] = [];
  for (const name of options.sections) {
    say(name);
    const measured = [await measures[name]({ options, folder: folder.path, say })].flat();
    sections.push(...measured);
    for (const section of measured) console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', options.isQuick ? 'runtime-quick.json' : 'runtime.json');
  await writeJson(path, sections);
  console.log(
    `Aims\n${verdicts(sections)
      .map(line => `  ${line}\n`)
      .join('')}`,
  );
  if (options.isQuick) console.log('This was a quick run: it shows that everything works, its numbers mean nothing.');
  console.log(`The numbers are in ${path}.`);
}

// What we started ends with us; a signal would end us without saying goodbye.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
try {
  await run(parseOptions(process.argv.slice(2)));
} catch (thrown) {
  const { message, hint } = toError(thrown);
  console.error(`bench: ${message}${hint === undefined ? '' : `\n${hint}`}`);
  process.exitCode = 1;
}
