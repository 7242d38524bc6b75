// `npm run bench -- brokers-scale [--quick] [--many <instances>] [--rounds <n>] [--only <section>]`: what 200,000 instances in the store cost, against 2,000 in the same run.
// Prints tables and leaves the numbers in .cache/bench/brokers-scale.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { startManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { cacheFolder, makeDataFolder } from '../kernel/disk.ts';
import { formatSection, type Section, verdicts, writeJson } from '../runtime/report.ts';
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
  const say = (text: string): void => console.error(`  … ${text}`);
  const { few: fewCount, many: manyCount, platforms } = options;
  const start = (instances: number) =>
    startManyInstances({ platforms, instances, bindingEvery: 10, dataDir: join(folder.path, String(instances)) });
  say(`${manyCount} instances are put into a store`);
  await using many = await start(manyCount);
  await using few = await start(fewCount);
  const sections: Section[] = [];
  for (const name of options.sections) {
    say(name);
    const section = await measures[name]({ few, many, options });
    sections.push(section);
    console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', options.isQuick ? 'brokers-scale-quick.json' : 'brokers-scale.json');
  await writeJson(path, sections);
  console.log(['Aims', ...verdicts(sections).map(line => `  ${line}`), ''].join('\n'));
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
