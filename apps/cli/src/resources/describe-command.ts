import { type Condition, formatAge, isRecord, type KubeObject } from '@chandlery/api';
import { formatYaml } from '@chandlery/client';
import type { Command, CommandContext } from '../command.ts';
import { formatPairs, formatTable } from '../output/table.ts';
import { eventHeadings, eventRow, readEvents, selectorOfObject } from './events.ts';
import { namedBy, openScope, type Scope, scopeFlags, type Target, targetsOf } from './scope.ts';
import { conditionsOf } from './wait-command.ts';

const maxEvents = 5;

export const describeCommand: Command = {
  name: 'describe',
  summary: 'Show an object of any kind: facts, conditions, and its last events',
  group: 'Objects of any kind',
  usage: 'KIND NAME… | KIND/NAME… [flags]',
  examples: ['chandlery describe project/acme', 'chandlery describe postgresdatabase shop -n default'],
  arguments: { required: ['KIND'], hasMore: true },
  formats: [],
  options: scopeFlags,
  goal: args => `describe ${namedBy(args)}`,
  async run(context) {
    await using scope = await openScope(context);
    const texts: string[] = [];
    for (const target of targetsOf(context.args, scope)) texts.push(await describe(context, scope, target));
    context.stdout.write(texts.join('\n'));
    return 0;
  },
};

async function describe(context: CommandContext, scope: Scope, { kind, ref }: Target): Promise<string> {
  const object = await scope.client.get(ref);
  const now = new Date();
  const namespace = kind.isNamespaced ? ref.namespace : 'default';
  // Events may be out of the caller's reach, the object is not.
  const { events } = await readEvents(scope.client, namespace, selectorOfObject(kind.kind, ref.name)).catch(
    (error: Error) => {
      context.stderr.write(`cannot read the events: ${error.message}\n`);
      return { events: [] };
    },
  );
  const shown = events.slice(-maxEvents);
  return [
    formatPairs(factsOf(object, kind.kind, now)),
    section('Spec', fieldsText(object, 'spec')),
    section('Status', fieldsText(object, 'status')),
    section('Conditions', conditionsText(conditionsOf(object), now)),
    section(
      'Events',
      shown.length === 0
        ? ''
        : formatTable(
            eventHeadings,
            shown.map(event => eventRow(event, now)),
          ),
    ),
  ].join('');
}

function factsOf({ apiVersion, metadata }: KubeObject, kind: string, now: Date): (readonly [string, string])[] {
  const { name = '', namespace, creationTimestamp, deletionTimestamp, labels, annotations, finalizers = [] } = metadata;
  const owners = (metadata.ownerReferences ?? []).map(owner => `${owner.kind.toLowerCase()}/${owner.name}`);
  return [
    ['Name', name],
    ...(namespace === undefined ? [] : [['Namespace', namespace] as const]),
    ['Kind', `${kind} (${apiVersion})`],
    ['Age', formatAge(creationTimestamp, now)],
    ...(deletionTimestamp === undefined
      ? []
      : [['Deleted', `${formatAge(deletionTimestamp, now)} ago, waits for ${finalizers.join(', ')}`] as const]),
    ['Labels', pairsText(labels)],
    ['Annotations', pairsText(annotations)],
    ...(owners.length === 0 ? [] : [['Owners', owners.join(', ')] as const]),
  ];
}

const pairsText = (pairs: Readonly<Record<string, string>> = {}): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value.length > 60 ? `${value.slice(0, 59)}…` : value}`)
    .join(', ') || '<none>';

/** Data of Secrets is never shown; conditions have a table of their own. */
function fieldsText(object: KubeObject, field: 'spec' | 'status'): string {
  const value = (object as unknown as Record<string, unknown>)[field];
  if (!isRecord(value)) return '';
  const { conditions: _, ...rest } = value;
  return Object.keys(rest).length === 0 ? '' : formatYaml(rest);
}

const conditionsText = (conditions: readonly Condition[], now: Date): string =>
  conditions.length === 0
    ? ''
    : formatTable(
        ['type', 'status', 'since', 'reason', 'message'],
        conditions.map(({ type, status, lastTransitionTime, reason = '', message = '' }) => [
          type,
          status,
          formatAge(lastTransitionTime, now),
          reason,
          message.replace(/\s+/g, ' ').trim(),
        ]),
      );

const section = (title: string, text: string): string =>
  text === '' ? '' : `${title}:\n${text.replace(/^(?=.)/gm, '  ')}`;
