import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import { createClient, loadKubeconfig, parseYamlDocuments } from '@chandlery/client';
import { apply, findCondition, refOf } from '@chandlery/runtime';
import type { Output } from '../command.ts';
import { followObject } from '../landscape/follow-object.ts';
import { reportProgress } from '../output/progress.ts';
import type { DemoFiles } from './demo-files.ts';
import type { DemoLandscape } from './demo-landscape.ts';

/** What the demonstration plays on, and where it writes. */
export interface DemoStage {
  readonly stdout: Output;
  readonly landscape: DemoLandscape;
  readonly files: DemoFiles;
  /** Ends the commands that run. */
  readonly signal: AbortSignal;
}

const databaseTimeoutMs = 180_000;

/** Plays all steps: each is explained, shown as a command, and run. */
export async function playDemo(stage: DemoStage): Promise<void> {
  const { stdout, landscape, files } = stage;
  const explain = (text: string): void => void stdout.write(`${text}\n`);
  const run = (...args: readonly string[]): Promise<void> => runCommand(stage, args);

  explain('1. The landscape runs: a Kubernetes API for tenants, a catalogue, controllers, in one process.');
  stdout.write(`$ npx chandlery ${landscape.command.join(' ')}\n\n`);
  await run('status');
  explain('2. The operator installs a provider. It brings a new kind that tenants can order: PostgresDatabase.');
  await run('provider', 'install', files.provider);
  explain('3. A tenant orders a database, as an object of that kind, and waits until it is ready.');
  await orderDatabase(stage);
  explain('4. What stands behind it, on all clusters.');
  await run('trace', 'postgresdatabase/shop');
  explain('5. Other services are executed once per order, with parameters. The operator describes one …');
  await run('service', 'apply', files.service);
  explain('   … a user orders it, and reads what it printed.');
  await run('order', 'create', 'hello', '-p', 'who=Ann', '--wait');
  await run('order', 'logs', '@latest');
}

/** Runs our own command, as a user would, with its output below it. */
async function runCommand({ stdout, landscape, signal }: DemoStage, args: readonly string[]): Promise<void> {
  const all = [...args, '--data-dir', landscape.dataDir];
  stdout.write(`$ npx chandlery ${all.join(' ')}\n`);
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...all], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => stdout.write(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  stdout.write('\n');
  if (code !== 0)
    throw new ChandleryError('DemoFailed', `"chandlery ${args.join(' ')}" ended with ${code}`, {
      hint: 'Its messages are above.',
    });
}

async function orderDatabase({ stdout, landscape, files, signal }: DemoStage): Promise<void> {
  const kubeconfig = join(landscape.dataDir, 'admin.kubeconfig');
  stdout.write(`$ kubectl --kubeconfig ${kubeconfig} apply -f ${files.database}\n`);
  await using client = createClient(loadKubeconfig(kubeconfig, { context: 'onboarding' }));
  const [object] = parseYamlDocuments(readFileSync(files.database, 'utf8'), files.database) as KubeObject[];
  if (object === undefined) return;
  const desired = { plural: 'postgresdatabases', object };
  await apply(client, 'chandlery-demo', [desired]);
  using report = reportProgress(stdout);
  const isDone = (found: KubeObject | undefined): boolean => {
    const ready = found === undefined ? undefined : findCondition(found, 'Ready');
    report(ready?.status === 'True' ? 'ready' : 'not ready yet', ready?.message ?? '');
    return ready?.status === 'True';
  };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(databaseTimeoutMs)]);
  await followObject(client, refOf(desired), { isDone, signal: deadline });
  stdout.write('\n');
}
