// `npm run bench -- brokers [--quick] [--only <section>] [--no-postgres] [--no-nginx]`: one broker, asked directly,
// through other proxies and through the service manager. Prints tables and leaves the numbers in .cache/bench/brokers.json.
import { benchProgram, runBench } from '../bench-program.ts';
import { makeDataFolder } from '../kernel/disk.ts';
import { Child } from './child.ts';
import type { BenchContext } from './context.ts';
import { measureNotifications } from './notifications.ts';
import { type BenchOptions, parseOptions } from './options.ts';
import type { Section } from './report.ts';
import * as report from './report.ts';
import { measureRequests } from './requests.ts';
import { startSubjects } from './subjects.ts';
import type { OperationName } from './workload.ts';

async function* measure(context: BenchContext): AsyncGenerator<Section> {
  const { options, say } = context;
  const operations = options.sections.filter((name): name is OperationName => name !== 'notifications');
  if (operations.length > 0) {
    await using stack = new AsyncDisposableStack();
    const subjects = stack.use(await startSubjects(context));
    const load = stack.use(new Child('load-process.ts'));
    for (const operation of operations) {
      say(operation);
      yield await measureRequests(operation, subjects, { load, sizes: options.sizes });
    }
  }
  if (!options.sections.includes('notifications')) return;
  say('notifications');
  yield await measureNotifications(context);
}

async function run(options: BenchOptions): Promise<void> {
  await using folder = await makeDataFolder();
  await runBench({ name: 'brokers', isQuick: options.isQuick, report, remarks }, async ({ say, add }) => {
    for await (const section of measure({ options, folder: folder.path, say })) add(section);
  });
}

const remarks = [
  'All ways speak plain HTTP over loopback, ours by --http-port, with the same requests on kept-alive connections.',
  'Load, broker and what is between them share the cores of this machine. CPU is that of the proxy (directly: of the',
  "broker), without PostgreSQL's own. Added latency is against the direct way at the same rate.",
];

await benchProgram(() => run(parseOptions(process.argv.slice(2))));
