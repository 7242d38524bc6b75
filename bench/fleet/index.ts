// `npm run bench -- fleet [--quick] [--only <section>] [--many <instances>] [--rounds <n>]`: what requests cost with 100,000 instances in the store, against 1,000 in the same run.
// Prints tables and leaves the numbers in .cache/bench/fleet.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { cacheFolder, makeDataFolder } from '../kernel/disk.ts';
import { formatSection, type Section, verdicts, writeJson } from '../runtime/report.ts';
import { startFleetWorld } from './fleet-world.ts';
import { type FleetBenchOptions, parseOptions } from './options.ts';
import { measures } from './sections.ts';

async function run(options: FleetBenchOptions): Promise<void> {
  await using folder = await makeDataFolder();
  const say = (text: string): void => console.error(`  … ${text}`);
  const { perCluster } = options;
  const start = (instances: number) => startFleetWorld({ instances, perCluster }, join(folder.path, String(instances)));
  say(`${options.many} instances are put into a store`);
  await using many = await start(options.many);
  await using few = await start(options.few);
  const sections: Section[] = [];
  for (const name of options.sections) {
    say(name);
    const section = await measures[name]({ few, many, options });
    sections.push(section);
    console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', options.isQuick ? 'fleet-quick.json' : 'fleet.json');
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
