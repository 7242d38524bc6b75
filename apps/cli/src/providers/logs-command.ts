import { ChandleryError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition } from '@chandlery/runtime';
import { notOneOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { findProvider } from './describe-command.ts';
import { followLogs, hasLog, type LogQuery, type Pod, type ProviderPart, podsOf, readPodLog } from './provider-pods.ts';
import { readableLine } from './readable-line.ts';

export const providerLogsCommand: Command = {
  name: 'provider logs',
  summary: 'Print the logs of a provider: of its init and of what runs now',
  usage: 'NAME [flags]',
  examples: ['chandlery provider logs postgres --follow', 'chandlery provider logs ice-cream --init --tail 50'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    init: { type: 'switch', about: 'Only of init.' },
    run: { type: 'switch', about: 'Only of what serves tenants.' },
    follow: { type: 'switch', short: 'F', about: 'Print lines as they come, through restarts and upgrades.' },
    tail: { type: 'text', valueName: 'LINES', about: 'Only the last lines of each. Default: all.' },
    previous: { type: 'switch', short: 'p', about: 'Of what ran before the last restart.' },
    timestamps: { type: 'switch', about: 'With the time before each line.' },
    output: {
      type: 'text',
      short: 'o',
      valueName: 'json',
      about: 'Print lines as the provider writes them. Default on a terminal: level, message and place in the code.',
    },
  },
  goal: ([name]) => `print the logs of the provider "${name}"`,
  async run(context) {
    const query = queryOf(context);
    const parts = partsOf(context);
    const show = lineOf(context, parts);
    await using platform = connect(context);
    const provider = await findProvider(platform, context.args[0] ?? '');
    checkIsHere(provider);
    if (query.follow === true) return await follow(context, platform, { provider, parts, query, show });
    await print(context, platform, { provider, parts, query, show });
    return 0;
  },
};

interface Wanted {
  readonly provider: Provider;
  readonly parts: readonly ProviderPart[];
  readonly query: LogQuery;
  /** How a line of a part is printed. */
  readonly show: (line: string, part: ProviderPart) => string;
}

function queryOf({ flags }: CommandContext): LogQuery {
  const tail = flags.text('tail');
  if (tail !== undefined && !/^\d+$/.test(tail))
    throw usageError('InvalidOption', `--tail must be a number, not "${tail}"`);
  const isOn = (name: string): true | undefined => flags.isOn(name) || undefined;
  return { follow: isOn('follow'), previous: isOn('previous'), timestamps: isOn('timestamps'), tailLines: tail };
}

function partsOf({ flags }: CommandContext): readonly ProviderPart[] {
  const chosen = (['init', 'run'] as const).filter(part => flags.isOn(part));
  return chosen.length === 0 ? ['init', 'run'] : chosen;
}

/** A provider that runs elsewhere has its logs there. */
function checkIsHere(provider: Provider): void {
  const reason = findCondition(provider, 'Initialized')?.reason;
  if (reason !== 'NoNode' && reason !== 'InitializedElsewhere') return;
  throw new ChandleryError('NoPods', `"${provider.metadata.name}" runs outside of the landscape`, {
    hint: 'Its log is where its process is; docs/providers-outside.md describes it.',
  });
}

/** Init may have been tried several times: its newest pod counts. */
async function print(
  { stdout }: CommandContext,
  platform: HttpClient,
  { provider, parts, query, show }: Wanted,
): Promise<void> {
  const found: (readonly [ProviderPart, Pod])[] = [];
  for (const part of parts) {
    const pods = (await podsOf(platform, provider, part)).filter(hasLog);
    found.push(...(part === 'init' ? pods.slice(-1) : pods).map(pod => [part, pod] as const));
  }
  if (found.length === 0) throw noPods(provider);
  for (const [part, pod] of found) {
    for await (const line of readPodLog(platform, pod, { query })) stdout.write(`${show(line, part)}\n`);
  }
}

/** Lines of several parts say which they are of. On a terminal they are for people, elsewhere as they were written. */
function lineOf({ flags, stdout }: CommandContext, parts: readonly ProviderPart[]): Wanted['show'] {
  const format = flags.text('output');
  if (format !== undefined && format !== 'json') throw notOneOf('--output', ['json'], format);
  const isReadable = format === undefined && stdout.isTTY === true;
  return (line, part) => {
    const text = isReadable ? readableLogLine(line, flags.isOn('timestamps')) : line;
    return parts.length > 1 ? text.replaceAll(/^/gm, `${part}: `) : text;
  };
}

/** With timestamps the node has written the time and a space before the line. */
function readableLogLine(line: string, hasTimestamp: boolean): string {
  const start = hasTimestamp ? line.indexOf(' ') + 1 : 0;
  return line.slice(0, start) + readableLine(line.slice(start));
}

const noPods = ({ kind, metadata }: Provider): ChandleryError =>
  new ChandleryError('NoPods', 'no pod of it has run yet', {
    hint: `"npx chandlery trace ${kind === serviceProviders.kind ? 'serviceprovider' : kind.toLowerCase()}/${metadata.name}" shows what it waits for.`,
  });

async function follow({ stdout }: CommandContext, platform: HttpClient, wanted: Wanted): Promise<number> {
  using stop = listenForStop();
  const { provider, parts, query, show } = wanted;
  const onLine = (line: string, part: ProviderPart): void => void stdout.write(`${show(line, part)}\n`);
  await followLogs(platform, provider, { parts, query, onLine, signal: stop.signal });
  return stop.exitCode;
}
