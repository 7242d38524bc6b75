// `npm run bench -- runtime [--quick] [--only <section>]`: the runtime in process and over HTTPS. Prints tables and
// leaves the numbers in .cache/bench/runtime.json.
import { benchProgram, runBench } from '../bench-program.ts';
import { makeDataFolder } from '../kernel/disk.ts';
import type { BenchContext } from './context.ts';
import { measureDrift } from './drift.ts';
import { measureFairness } from './fairness.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { type BenchOptions, parseOptions, type SectionName } from './options.ts';
import type { Section } from './report.ts';
import * as report from './report.ts';
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
  await runBench({ name: 'runtime', isQuick: options.isQuick, report }, async ({ say, add }) => {
    for (const name of options.sections) {
      say(name);
      add(...[await measures[name]({ options, folder: folder.path, say })].flat());
    }
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
