import { ChandleryError, isRecord, type KubeObject } from '@chandlery/api';
import { type HttpClient, resourcePath } from '@chandlery/client';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { linesOf } from '../output/lines.ts';
import { openScope, type Scope, scopeFlags, type Target, targetsOf } from './scope.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };

export const logsCommand: Command = {
  name: 'logs',
  summary: 'Print the log of a pod, or of the pods of a deployment, job and the like',
  group: 'Objects of any kind',
  usage: 'POD | KIND/NAME [flags]',
  examples: [
    'chandlery logs sp-postgres-7c9f -n providers --cluster platform -w',
    'chandlery logs deployment/shop --tail 20',
  ],
  arguments: { required: ['POD'] },
  formats: [],
  options: {
    follow: { type: 'switch', short: 'w', former: ['f'], about: 'Print lines as they come.' },
    container: { type: 'text', short: 'c', valueName: 'NAME', about: 'The container. Default: the only one.' },
    tail: { type: 'text', valueName: 'LINES', about: 'Only the last lines. Default: all.' },
    previous: { type: 'switch', short: 'p', about: 'Of the container before its last restart.' },
    timestamps: { type: 'switch', about: 'With the time before each line.' },
    ...scopeFlags,
  },
  goal: ([pod]) => `print the log of ${pod ?? 'a pod'}`,
  async run(context) {
    const query = queryOf(context);
    await using scope = await openScope(context);
    const [word = ''] = context.args;
    const [target] = targetsOf([word.includes('/') ? word : `pod/${word}`], scope);
    const names = await podNames(scope, target as Target);
    await Promise.all(
      names.map(name => printLog(context, scope, { name, query, prefix: names.length > 1 ? `${name}: ` : '' })),
    );
    return 0;
  },
};

function queryOf({ flags }: CommandContext): Record<string, string | boolean | undefined> {
  const tail = flags.text('tail');
  if (tail !== undefined && !/^\d+$/.test(tail))
    throw usageError('InvalidOption', `--tail must be a number, not "${tail}"`);
  return {
    follow: flags.isOn('follow') || undefined,
    previous: flags.isOn('previous') || undefined,
    timestamps: flags.isOn('timestamps') || undefined,
    container: flags.text('container'),
    tailLines: tail,
  };
}

/** The pods that a workload selects. */
async function podNames({ client }: Scope, { kind, ref }: Target): Promise<readonly string[]> {
  if (kind.kind === 'Pod') return [ref.name];
  const selector = selectorOf(await client.get(ref));
  if (selector === undefined)
    throw new ChandleryError('NoPods', `a ${kind.kind} has no pods of its own`, {
      hint: 'Name a pod, or a kind with a pod selector; "npx chandlery trace KIND/NAME" finds the pods behind an object.',
    });
  const { namespace } = ref;
  const { items } = await client.list(
    { ...pods, ...(namespace === undefined ? {} : { namespace }) },
    { labelSelector: selector },
  );
  if (items.length > 0) return items.map(({ metadata }) => metadata.name ?? '');
  throw new ChandleryError('NoPods', `there is no pod with the labels ${selector}`, {
    hint: '"npx chandlery describe KIND/NAME" shows why none was made.',
  });
}

function selectorOf(object: KubeObject): string | undefined {
  const { selector } = (object as { spec?: { selector?: unknown } }).spec ?? {};
  const labels = isRecord(selector) && isRecord(selector.matchLabels) ? selector.matchLabels : selector;
  if (!isRecord(labels) || Object.keys(labels).length === 0) return undefined;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',');
}

interface PodLog {
  readonly name: string;
  readonly query: Record<string, string | boolean | undefined>;
  /** What stands before each line. */
  readonly prefix: string;
}

async function printLog({ stdout }: CommandContext, scope: Scope, { name, query, prefix }: PodLog): Promise<void> {
  const body = await openLog(scope.client, scope.namespace, name, query);
  if (prefix === '') {
    for await (const piece of body) stdout.write(piece);
    return;
  }
  for await (const line of linesOf(body)) stdout.write(`${prefix}${line}\n`);
}

async function openLog(
  client: HttpClient,
  namespace: string,
  name: string,
  query: PodLog['query'],
): Promise<AsyncIterable<Uint8Array>> {
  const path = resourcePath({ ...pods, namespace, name, subresource: 'log' });
  return (await client.raw(path, { query, isEndless: query.follow === true })).body;
}
