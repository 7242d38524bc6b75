// `npm run bench -- console [--quick] [--only <section>] [--many <objects>] [--minutes <n>] [--samples <n>] [--headlamp <address>]`:
// the web console in a real Chromium with 100,000 objects of one kind, against 100 in the same run; with 5,000 changes
// per minute; a trace of 5,000 nodes; memory over a time. `--headlamp`: the address of the same list in a Headlamp for
// this landscape. Prints tables and leaves the numbers in .cache/bench/console.json.
import { benchProgram, runBench } from '../bench-program.ts';
import { makeDataFolder } from '../kernel/disk.ts';
import * as report from '../runtime/report.ts';
import { startBrowser } from './console-page.ts';
import { startConsoleWorld } from './console-world.ts';
import { type ConsoleBenchOptions, parseOptions } from './options.ts';
import { type BenchContext, measureHeadlamp, measures, waitForBuild } from './sections.ts';

async function run(options: ConsoleBenchOptions): Promise<void> {
  await using browser = await startBrowser();
  await using folder = await makeDataFolder();
  await runBench({ name: 'console', isQuick: options.isQuick, report }, async ({ say, add }) => {
    say(`${options.many} objects are put into a store`);
    await using world = await startConsoleWorld(folder.path, options);
    if (options.headlamp !== undefined) say(`the landscape is at ${world.server.url}, its data in ${folder.path}`);
    const context: BenchContext = { world, browser, options };
    await waitForBuild(context);
    for (const name of options.sections) {
      say(name);
      add(await measures[name](context));
    }
    if (options.headlamp !== undefined) add(await measureHeadlamp(context, options.headlamp));
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
