// `npm run bench -- fleet [--quick] [--only <section>] [--many <instances>] [--rounds <n>]`: what requests cost with 100,000 instances in the store, against 1,000 in the same run.
// Prints tables and leaves the numbers in .cache/bench/fleet.json.

import { join } from 'node:path';
import { benchProgram, runBench } from '../bench-program.ts';
import { makeDataFolder } from '../kernel/disk.ts';
import * as report from '../runtime/report.ts';
import { startFleetWorld } from './fleet-world.ts';
import { type FleetBenchOptions, parseOptions } from './options.ts';
import { measures } from './sections.ts';

async function run(options: FleetBenchOptions): Promise<void> {
  await using folder = await makeDataFolder();
  const { perCluster } = options;
  const start = (instances: number) => startFleetWorld({ instances, perCluster }, join(folder.path, String(instances)));
  await runBench({ name: 'fleet', isQuick: options.isQuick, report }, async ({ say, add }) => {
    say(`${options.many} instances are put into a store`);
    await using many = await start(options.many);
    await using few = await start(options.few);
    for (const name of options.sections) {
      say(name);
      add(await measures[name]({ few, many, options }));
    }
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
