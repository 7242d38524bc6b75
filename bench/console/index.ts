// `npm run bench -- console [--quick] [--only <section>] [--many <objects>] [--minutes <n>] [--samples <n>] [--headlamp <address>]`:
// the web console in a real Chromium with 100,000 objects of one kind, against 100 in the same run; with 5,000 changes
// per minute; a trace of 5,000 nodes; memory over a time. `--headlamp`: the address of the same list in a Headlamp for
// this landscape. Prints tables and leaves the numbers in .cache/bench/console.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { cacheFolder, makeDataFolder } from '../kernel/disk.ts';
import { formatSection, type Section, verdicts, writeJson } from '../runtime/report.ts';
import { startBrowser } from './console-page.ts';
import { startConsoleWorld } from './console-world.ts';
import { type ConsoleBenchOptions, parseOptions } from './options.ts';
import { type BenchContext, measureHeadlamp, measures, waitForBuild } from './sections.ts';

async function run(options: ConsoleBenchOptions): Promise<void> {
  const say = (text: string): void => console.error(`  … ${text}`);
  await using browser = await startBrowser();
  await using folder = await makeDataFolder();
  say(`${options.many} objects are put into a store`);
  await using world = await startConsoleWorld(folder.path, options);
  if (options.headlamp !== undefined) say(`the landscape is at ${world.server.url}, its data in ${folder.path}`);
  const context: BenchContext = { world, browser, options };
  await waitForBuild(context);
  const sections: Section[] = [];
  const add = (section: Section): void => {
    sections.push(section);
    console.log(formatSection(section));
  };
  for (const name of options.sections) {
    say(name);
    add(await measures[name](context));
  }
  if (options.headlamp !== undefined) add(await measureHeadlamp(context, options.headlamp));
  const path = join(cacheFolder, 'bench', options.isQuick ? 'console-quick.json' : 'console.json');
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
