// `npm run bench -- brokers-scale [--quick] [--many <instances>] [--rounds <n>] [--only <section>]`: what 200,000 instances in the store cost, against 2,000 in the same run.
// Prints tables and leaves the numbers in .cache/bench/brokers-scale.json.

import { join } from 'node:path';
import { startManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { benchProgram, runBench } from '../bench-program.ts';
import { makeDataFolder } from '../kernel/disk.ts';
import type { Section } from '../runtime/report.ts';
import * as report from '../runtime/report.ts';
import { measureAdoptions } from './adoptions.ts';
import { measureCascades } from './cascades.ts';
import { measureCosts } from './costs.ts';
import { parseOptions, type ScaleOptions, type SectionName } from './options.ts';
import { measureQueries } from './queries.ts';
import { measureStarts } from './starts.ts';
import type { TwoWorlds } from './two-worlds.ts';

const measures: Readonly<Record<SectionName, (worlds: TwoWorlds) => Promise<Section>>> = {
  'start-up': measureStarts,
  queries: measureQueries,
  provisions: measureCosts,
  cascades: measureCascades,
  adoptions: measureAdoptions,
};

async function run(options: ScaleOptions): Promise<void> {
  await using folder = await makeDataFolder();
  const { few: fewCount, many: manyCount, platforms } = options;
  const start = (instances: number) =>
    startManyInstances({ platforms, instances, bindingEvery: 10, dataDir: join(folder.path, String(instances)) });
  await runBench({ name: 'brokers-scale', isQuick: options.isQuick, report }, async ({ say, add }) => {
    say(`${manyCount} instances are put into a store`);
    await using many = await start(manyCount);
    await using few = await start(fewCount);
    for (const name of options.sections) {
      say(name);
      add(await measures[name]({ few, many, options }));
    }
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
