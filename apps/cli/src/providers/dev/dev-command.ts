import { resolve } from 'node:path';
import { toError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { serviceProviders } from '@chandlery/providers/kinds';
import type { Command, CommandContext } from '../../command.ts';
import { connect } from '../../landscape/connect.ts';
import { listenForStop } from '../../landscape/stop-signal.ts';
import { applyConfigs, applyInstallation } from '../installation/apply-installation.ts';
import { untilReady } from '../installation/await-provider.ts';
import { type Installation, readInstallation } from '../installation/installation.ts';
import { followLogs, type ProviderPart, podsOf, runOf } from '../provider-pods.ts';
import { readableLine } from '../readable-line.ts';
import { effectOf } from './effect-of.ts';
import { restartServices } from './restart-services.ts';
import { watchFolder } from './watch-folder.ts';

export const providerDevCommand: Command = {
  name: 'provider dev',
  summary: 'Run a provider from its folder, and roll it out again on every change',
  usage: '[FOLDER] [flags]',
  examples: ['chandlery provider dev', 'chandlery provider dev providers/ice-cream --logs=false'],
  arguments: { optional: ['FOLDER'] },
  formats: [],
  options: { logs: { type: 'switch', about: "Print the provider's log. Default: true." } },
  notes: [
    'For landscapes with local clusters: they run the files of the folder. A change of a source or a YAML file runs init',
    'again, starts the new version beside the one before, and restarts domain services. Changes of config.yaml alone are',
    'only applied. Ctrl-C stops watching; the provider stays installed.',
  ],
  goal: ([folder]) => `run the provider in "${folder ?? '.'}"`,
  async run(context) {
    const folder = resolve(context.cwd, context.args[0] ?? '.');
    const { name } = readInstallation(folder);
    await using platform = connect(context);
    using stop = listenForStop();
    using changes = watchFolder(folder);
    const session: Session = { context, platform, folder, say: line => void context.stdout.write(`${line}\n`) };
    const logs = printLogs(session, name, stop.signal);
    session.say(`watching ${folder}`);
    let files: readonly string[] | undefined = [];
    while (files !== undefined) {
      const superseded = new AbortController();
      const next = changes.next(stop.signal).finally(() => superseded.abort());
      await carryOut(session, files, superseded.signal);
      files = await next;
      if (files !== undefined) session.say(`changed: ${files.join(', ')}`);
    }
    await logs;
    session.say(`stopped watching; "npx chandlery provider uninstall ${name}" removes the provider`);
    return 0;
  },
};

interface Session {
  readonly context: CommandContext;
  readonly platform: HttpClient;
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** Carries out a change of files; none: the beginning. Failures are printed, and mended by the next change. */
async function carryOut(session: Session, files: readonly string[], signal: AbortSignal): Promise<void> {
  const { platform, folder, say } = session;
  const effect = files.length === 0 ? 'everything' : effectOf(files);
  const startedAt = performance.now();
  const done = (what: string): void => say(`${what} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  try {
    if (effect === 'nothing') return say('nothing to roll out');
    const installation = readInstallation(folder);
    if (effect === 'config') {
      await applyConfigs(platform, installation);
      return done('configuration applied');
    }
    await rollOut(session, installation, signal);
    const restarted = files.length === 0 ? 0 : await restartServices(session.context, platform, installation);
    done(
      `ready${restarted === 0 ? '' : `, ${restarted} ${restarted === 1 ? 'pod' : 'pods'} of domain services restarted`}`,
    );
  } catch (thrown) {
    if (signal.aborted) return;
    say(`failed: ${toError(thrown).message}`);
    say('  what ran before continues; save a file to try again');
  }
}

async function rollOut({ platform, say }: Session, installation: Installation, signal: AbortSignal): Promise<void> {
  const { name, configs } = installation;
  const { metadata } = await applyInstallation(platform, withRevision(installation));
  let last = '';
  const onState = (state: string, message: string): void => {
    const line = message === '' ? state : `${state}: ${message}`;
    if (line !== last) say(`  ${line}`);
    last = line;
  };
  await untilReady(platform, { name, configs, generation: metadata.generation, signal, onState });
}

/** A variable with a new value makes a new generation: init runs again, and the new version starts beside the old. */
function withRevision(installation: Installation): Installation {
  const { provider } = installation;
  const revision = { name: 'CHANDLERY_DEV_REVISION', value: Date.now().toString(36) };
  const spec = { ...provider.spec, env: [...(provider.spec.env ?? []), revision] };
  return { ...installation, provider: { ...provider, spec } };
}

/** Prints the logs of everything that starts from now on. */
async function printLogs({ context, platform, say }: Session, name: string, signal: AbortSignal): Promise<void> {
  if (!context.flags.isOn('logs', true)) return;
  const provider = { kind: serviceProviders.kind, metadata: { name } };
  let last = '';
  const onLine = (line: string, part: ProviderPart): void => {
    const text = readableLine(line).replaceAll(/^/gm, `  ${part}: `);
    // A failure that is retried is printed once.
    if (text !== last) say(text);
    last = text;
  };
  const before = [...(await podsOf(platform, provider, 'init')), ...(await podsOf(platform, provider, 'run'))];
  await followLogs(platform, provider, {
    parts: ['init', 'run'],
    query: { follow: true },
    seen: before.map(runOf),
    signal,
    onLine,
  });
}
