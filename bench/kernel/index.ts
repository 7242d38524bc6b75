// `npm run bench -- kernel [--no-etcd] [--quick] [--only <section>]`: ours beside etcd at store level, then the whole
// server over HTTPS. Prints tables and leaves the numbers in .cache/bench/kernel.json.
import { benchProgram, runBench } from '../bench-program.ts';
import type { BenchContext } from './context.ts';
import { makeDataFolder } from './disk.ts';
import { measureDurableWrites } from './durable-writes.ts';
import { measureEmptyClusters } from './empty-clusters.ts';
import { findEtcd } from './etcd-subject.ts';
import { measureFanOut } from './fan-out.ts';
import { measureHttpsRequests } from './https-requests.ts';
import { type BenchOptions, parseOptions, type SectionName } from './options.ts';
import { measurePointReads } from './point-reads.ts';
import type { Section } from './report.ts';
import * as report from './report.ts';
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
  await runBench({ name: 'kernel', isQuick: options.isQuick, report }, async ({ say, add }) => {
    for (const name of options.sections) {
      say(name);
      add(await measures[name]({ options, folder: folder.path, say }));
    }
  });
}

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
