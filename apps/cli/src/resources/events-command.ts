import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';
import { align } from '../output/table.ts';
import { type EventObject, eventHeadings, eventRow, eventsIn, readEvents, selectorOfObject } from './events.ts';
import { openScope, type Scope, scopeFlags, targetsOf } from './scope.ts';

export const eventsCommand: Command = {
  name: 'events',
  summary: 'Show what happened to objects, the latest last',
  group: 'Objects of any kind',
  usage: '[flags]',
  examples: [
    'chandlery events -A',
    'chandlery events --for postgresdatabase/shop -w',
    'chandlery events --types Warning',
  ],
  formats: resultFormats,
  options: {
    for: { type: 'text', valueName: 'KIND/NAME', about: 'Only events about this object.' },
    types: { type: 'text', valueName: 'TYPES', about: 'Only these types: Normal, Warning. Default: all.' },
    ...scopeFlags,
    'all-namespaces': { type: 'switch', short: 'A', about: 'In all namespaces.' },
    watch: { type: 'switch', short: 'w', about: 'Print events as they come, until it is stopped.' },
  },
  goal: () => 'show the events',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const types = typesOf(context);
    await using scope = await openScope(context);
    const { namespace, fieldSelector } = selectionOf(context, scope);
    const { events, resourceVersion } = await readEvents(scope.client, namespace, fieldSelector);
    const shown = events.filter(({ type = '' }) => types.length === 0 || types.includes(type));
    printList(context, { items: shown, listed, format });
    if (!context.flags.isOn('watch')) return 0;
    return await follow(context, scope, { namespace, fieldSelector, resourceVersion, types });
  },
};

const listed: Listed<EventObject> = {
  noun: 'event',
  document: 'List',
  columns: eventHeadings.map((heading, column) => [heading, (event, now) => eventRow(event, now)[column]]),
  name: ({ metadata }) => `event/${metadata.name ?? ''}`,
};

function typesOf({ flags }: CommandContext): readonly string[] {
  const types = (flags.text('types') ?? '').split(',').filter(type => type !== '');
  const wrong = types.find(type => type !== 'Normal' && type !== 'Warning');
  if (wrong !== undefined) throw usageError('InvalidOption', `--types knows Normal and Warning, not "${wrong}"`);
  return types;
}

interface Selection {
  readonly namespace: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Events of cluster-scoped objects are in the namespace default. */
function selectionOf({ flags }: CommandContext, scope: Scope): Selection {
  const about = flags.text('for');
  if (about === undefined) return { namespace: flags.isOn('all-namespaces') ? undefined : scope.namespace };
  const [target] = targetsOf([about], scope);
  const { kind, ref } = target as NonNullable<typeof target>;
  return {
    namespace: kind.isNamespaced ? scope.namespace : 'default',
    fieldSelector: selectorOfObject(kind.kind, ref.name),
  };
}

interface Following extends Selection {
  readonly resourceVersion: string | undefined;
  readonly types: readonly string[];
}

async function follow(
  { stdout }: CommandContext,
  { client }: Scope,
  { namespace, fieldSelector, resourceVersion, types }: Following,
): Promise<number> {
  using stop = listenForStop();
  const selection = fieldSelector === undefined ? {} : { fieldSelector };
  const from = resourceVersion === undefined ? {} : { resourceVersion };
  const options = { ...selection, ...from, signal: stop.signal };
  for await (const { type, object } of client.watch<EventObject>(eventsIn(namespace), options)) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue;
    if (types.length === 0 || types.includes(object.type ?? '')) stdout.write(align([eventRow(object, new Date())]));
  }
  return stop.exitCode;
}
