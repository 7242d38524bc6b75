// `npm run bench -- mesh [--quick] [--only <section>]`: measures the control plane of the mesh with thousands of
// streams. Prints tables and writes the numbers to .cache/bench/mesh.json.
import { join } from 'node:path';
import { toError } from '@chandlery/api';
import { formatSection, type Section, verdicts, writeJson } from '../brokers/report.ts';
import { cacheFolder } from '../kernel/disk.ts';
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
  const say = (text: string): void => console.error(`  … ${text}`);
  const sections: Section[] = [];
  for (const name of names) {
    say(name);
    const section = await measures[name]({ sizes, say });
    sections.push(section);
    console.log(formatSection(section));
  }
  const path = join(cacheFolder, 'bench', isQuick ? 'mesh-quick.json' : 'mesh.json');
  await writeJson(path, sections);
  console.log(`Aims\n${verdicts(sections).join('\n')}\n\n${remarks.join('\n')}`);
  if (isQuick) console.log('This was a quick run: it shows that everything works, its numbers mean nothing.');
  console.log(`The numbers are in ${path}.`);
}

const remarks = [
  'Server and raw clients are processes of their own; CPU is that of the server unless it says client. Both share the',
  'cores of this machine. A change counts as told when the server has dealt with the last ACK. Streams are spread over',
  '20 accounts, each with a view of its own. Clients speak HTTP/2 by themselves and do as little as they can: they read',
  'every byte, look for version and nonce only, and let the server send without ever waiting for a window.',
];

// Child processes end with this one; a signal would skip the exit handlers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
try {
  await run(parseOptions(process.argv.slice(2)));
} catch (thrown) {
  const { message, hint } = toError(thrown);
  console.error(`bench: ${message}${hint === undefined ? '' : `\n${hint}`}`);
  process.exitCode = 1;
}
