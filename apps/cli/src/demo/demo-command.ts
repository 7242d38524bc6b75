import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilAborted } from '@chandlery/platform';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { writeDemoFiles } from './demo-files.ts';
import { type DemoLandscape, startDemoLandscape } from './demo-landscape.ts';
import { playDemo } from './play-demo.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Play the first minute: a landscape, a provider, a database, an order',
  usage: '[flags]',
  examples: ['chandlery demo', 'chandlery demo --once'],
  formats: [],
  options: { once: { type: 'switch', about: 'Stop when everything was shown, instead of waiting for Ctrl-C.' } },
  notes: [
    'Everything happens in a temporary folder, which is removed at the end. The database is PostgreSQL 17 of this',
    'machine, or fetched from npm.',
  ],
  goal: () => 'play the demonstration',
  async run(context) {
    const meant = ['data-dir', 'kubeconfig', 'context'].find(name => context.flags.text(name) !== undefined);
    if (meant !== undefined)
      throw usageError('UnexpectedArgument', `--${meant} means nothing here: the demo has a landscape of its own`);
    const folder = mkdtempSync(join(tmpdir(), 'chandlery-demo-'));
    using stop = listenForStop();
    try {
      return await play(context, folder, stop.signal);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function play(context: CommandContext, folder: string, signal: AbortSignal): Promise<number> {
  const interrupted = untilAborted(signal);
  const { stdout } = context;
  stdout.write('A landscape is one installation of Chandlery. This one lives in a temporary folder.\n\n');
  const landscape = await startDemoLandscape(folder);
  const files = writeDemoFiles(folder);
  try {
    const isDone = await Promise.race([
      playDemo({ stdout, landscape, files, signal }).then(() => true),
      interrupted.then(() => false),
    ]);
    if (isDone && !context.flags.isOn('once')) await leaveToUser(context, landscape, interrupted);
    return 0;
  } finally {
    stdout.write('\nStopping the landscape and removing its folder.\n');
    await landscape.stop();
  }
}

async function leaveToUser(
  { stdout }: CommandContext,
  { url, dataDir, stopped }: DemoLandscape,
  interrupted: Promise<void>,
): Promise<void> {
  const lines = [
    'The landscape is yours now. In another terminal:',
    '',
    `  export KUBECONFIG=${join(dataDir, 'admin.kubeconfig')} CHANDLERY_DATA_DIR=${dataDir}`,
    '  kubectl get postgresdatabases',
    '  npx chandlery status',
    '  npx chandlery cluster create my-team && kubectl --context my-team get namespaces',
    '',
    `It listens on ${url}. Ctrl-C stops it and removes everything.`,
    '',
  ];
  stdout.write(`${lines.join('\n')}`);
  // Keeps the process alive until one of both.
  const alive = setInterval(() => undefined, 60_000);
  await Promise.race([interrupted, stopped]);
  clearInterval(alive);
}
