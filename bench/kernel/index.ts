// `npm run bench -- kernel [--no-etcd] [--quick] [--only <section>]`: ours beside etcd at store level, then the whole
// server over HTTPS. Prints tables and leaves the numbers in .cache/bench/kernel.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import type { BenchContext } from './context.ts';
import { cacheFolder, makeDataFolder } from './disk.ts';
import { measureDurableWrites } from './durable-writes.ts';
import { measureEmptyClusters } from './empty-clusters.ts';
import { findEtcd } from './etcd-subject.ts';
import { measureFanOut } from './fan-out.ts';
import { measureHttpsRequests } from './https-requests.ts';
import { type BenchOptions, parseOptions, type SectionName } from './options.ts';
import { measurePointReads } from './point-reads.ts';
import { formatSection, missedAims, type Section, writeJson } from './report.ts';
import { measureStartUp } from './start-up.ts';
import { measureWatchLatency } from './watch-latency.ts';

const measures: Readonly<Record<SectionName, (context: BenchContext) => Promise<Section>>> = {
  writes: measureDurableWrites,
  reads: measurePointReads,
  watch: measureWatchLatency,
  https: measureHttpsRequests,
  'fan-out': measureFanOut,
  clusters: measureEmptyClusters,
  start: measureStartUp,
};

async function run(options: BenchOptions): Promise<void> {
  if (options.withEtcd) findEtcd();
  await using folder = await makeDataFolder();
  const say = (text: string): void => console.error(`  … ${text}`);
  const sections: Section[] = [];
  for (const name of options.sections) {
    say(name);
    const section = await measures[name]({ options, folder: folder.path, say });
    sections.push(section);
    console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', options.isQuick ? 'kernel-quick.json' : 'kernel.json');
  await writeJson(path, sections);
  const missed = missedAims(sections);
  console.log(missed.length === 0 ? 'All aims are met.' : `Aims that were missed:\n  ${missed.join('\n  ')}`);
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
