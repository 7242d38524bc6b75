// `npm run bench -- mesh [--quick] [--only <section>]`: measures the control plane of the mesh with thousands of
// streams. Prints tables and writes the numbers to .cache/bench/mesh.json.
import { benchProgram, runBench } from '../bench-program.ts';
import type { Section } from '../brokers/report.ts';
import * as report from '../brokers/report.ts';
import { measureCertificates } from './certificates.ts';
import type { BenchContext } from './context.ts';
import { measureDelta } from './delta.ts';
import { measureFanOut } from './fan-out.ts';
import { measureIdle } from './idle.ts';
import { measureMeshSize } from './mesh-size.ts';
import { type BenchOptions, parseOptions, type SectionName } from './options.ts';

const measures: Readonly<Record<SectionName, (context: BenchContext) => Promise<Section>>> = {
  'fan-out': measureFanOut,
  idle: measureIdle,
  delta: measureDelta,
  'mesh-size': measureMeshSize,
  certificates: measureCertificates,
};

async function run({ sections: names, sizes, isQuick }: BenchOptions): Promise<void> {
  await runBench({ name: 'mesh', isQuick, report, remarks }, async ({ say, add }) => {
    for (const name of names) {
      say(name);
      add(await measures[name]({ sizes, say }));
    }
  });
}

const remarks = [
  'Server and raw clients are processes of their own; CPU is that of the server unless it says client. Both share the',
  'cores of this machine. A change counts as told when the server has dealt with the last ACK. Streams are spread over',
  '20 accounts, each with a view of its own. Clients speak HTTP/2 by themselves and do as little as they can: they read',
  'every byte, look for version and nonce only, and let the server send without ever waiting for a window.',
];

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
