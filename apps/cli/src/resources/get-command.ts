import { isError, type KubeObject } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { formatValue } from '../output/print-object.ts';
import { formatTable, writeTable } from '../output/table.ts';
import { findKind, type ServedKind } from './discover.ts';
import { collectionIn, labelOf, openScope, type Scope, scopeFlags, targetsOf, withoutManagedFields } from './scope.ts';
import { readTable, type ServerTable } from './server-table.ts';

const formats = ['table', 'wide', 'json', 'yaml', 'name', 'jsonl'] as const;
type GetFormat = (typeof formats)[number];

export const getCommand: Command = {
  name: 'get',
  summary: 'List objects of any kind, or show some of them',
  group: 'Objects of any kind',
  usage: 'KIND[,KIND…] | KIND NAME… | KIND/NAME… [flags]',
  examples: [
    'chandlery get projects',
    'chandlery get postgresdatabase shop -n default -o yaml',
    'chandlery get pods -A --cluster workload -w',
  ],
  arguments: { required: ['KIND'], hasMore: true },
  options: {
    ...scopeFlags,
    'all-namespaces': { type: 'switch', short: 'A', about: 'In all namespaces.' },
    selector: { type: 'text', short: 'l', valueName: 'LABELS', about: 'Only objects with these labels.' },
    watch: { type: 'switch', short: 'w', about: 'Print changes as they come, until it is stopped.' },
    output: {
      type: 'text',
      short: 'o',
      valueName: formats.join('|'),
      about: 'How results are printed. Default: table.',
    },
  },
  goal: ([kind]) => `get ${kind ?? 'objects'}`,
  async run(context) {
    const format = formatOf(context.flags, formats);
    await using scope = await openScope(context);
    const [word = ''] = context.args;
    if (context.args.length > 1 || word.includes('/')) await showNamed(context, scope, format);
    else for (const name of word.split(',')) await list(context, scope, findKind(name, scope.kinds), format);
    return 0;
  },
};

async function showNamed(context: CommandContext, scope: Scope, format: GetFormat): Promise<void> {
  const targets = targetsOf(context.args, scope);
  if (format === 'table' || format === 'wide') {
    for (const { ref } of targets) context.stdout.write(tableText(await readTable(scope.client, ref), format));
    return;
  }
  const objects = await Promise.all(targets.map(({ ref }) => scope.client.get(ref)));
  const items = objects.map((object, index) => ({ object, kind: (targets[index] as (typeof targets)[0]).kind }));
  context.stdout.write(objectsText(items, format, objects.length === 1));
}

async function list(context: CommandContext, scope: Scope, kind: ServedKind, format: GetFormat): Promise<void> {
  const isEverywhere = context.flags.isOn('all-namespaces');
  const collection = collectionIn(scope, kind, isEverywhere);
  const labelSelector = context.flags.text('selector');
  const selection = labelSelector === undefined ? {} : { labelSelector };
  let from: string | undefined;
  if (format === 'table' || format === 'wide') {
    const table = await readTable(scope.client, collection, selection);
    from = table.metadata?.resourceVersion;
    writeList(context, kind, table, { format, isEverywhere });
  } else {
    const items: KubeObject[] = [];
    for await (const item of scope.client.listAll(collection, selection)) items.push(item);
    context.stdout.write(
      objectsText(
        items.map(object => ({ object, kind })),
        format,
      ),
    );
  }
  if (context.flags.isOn('watch'))
    await follow(context, scope.client, collection, { kind, format, from, ...selection });
}

interface TableOptions {
  readonly format: 'table' | 'wide';
  readonly isEverywhere: boolean;
}

function writeList(
  context: CommandContext,
  { kind, isNamespaced }: ServedKind,
  table: ServerTable,
  { format, isEverywhere }: TableOptions,
): void {
  const shown = shownColumns(table, format);
  const hasNamespace = isNamespaced && isEverywhere;
  writeTable(context, {
    noun: kind,
    headings: [...(hasNamespace ? ['namespace'] : []), ...shown.map(({ name }) => name)],
    rows: table.rows.map(({ cells, object }) => [
      ...(hasNamespace ? [object?.metadata?.namespace ?? ''] : []),
      ...shown.map(({ index }) => cellText(cells[index])),
    ]),
  });
}

const tableText = (table: ServerTable, format: 'table' | 'wide'): string => {
  const shown = shownColumns(table, format);
  return formatTable(
    shown.map(({ name }) => name),
    table.rows.map(({ cells }) => shown.map(({ index }) => cellText(cells[index]))),
  );
};

/** Columns of a priority above 0 are for wide tables. */
const shownColumns = ({ columnDefinitions }: ServerTable, format: 'table' | 'wide') =>
  columnDefinitions
    .map(({ name, priority = 0 }, index) => ({ name, priority, index }))
    .filter(({ priority }) => format === 'wide' || priority === 0);

const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
};

interface Item {
  readonly object: KubeObject;
  readonly kind: ServedKind;
}

function objectsText(items: readonly Item[], format: Exclude<GetFormat, 'table' | 'wide'>, isSingle = false): string {
  const objects = items.map(({ object }) => withoutManagedFields(object));
  switch (format) {
    case 'name':
      return items.map(({ object, kind }) => `${labelOf(kind, object.metadata.name ?? '')}\n`).join('');
    case 'jsonl':
      return objects.map(object => `${JSON.stringify(object)}\n`).join('');
    default:
      return formatValue(isSingle ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects }, format);
  }
}

interface Following {
  readonly kind: ServedKind;
  readonly format: GetFormat;
  readonly from: string | undefined;
  readonly labelSelector?: string;
}

/** Prints every later state of the objects of a list: one row or object each. */
async function follow(
  context: CommandContext,
  client: HttpClient,
  collection: ResourceRef,
  { kind, format, from, labelSelector }: Following,
): Promise<void> {
  using stop = listenForStop();
  const selection = labelSelector === undefined ? {} : { labelSelector };
  let resourceVersion = from;
  while (!stop.signal.aborted) {
    try {
      const options = {
        ...selection,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        signal: stop.signal,
      };
      for await (const { type, object } of client.watch(collection, options)) {
        resourceVersion = object.metadata.resourceVersion;
        if (type !== 'BOOKMARK') context.stdout.write(changeText(type, { object, kind }, format));
      }
    } catch (thrown) {
      // The history was compacted meanwhile: continue from the present state.
      if (!isError(thrown, 'Expired', 'Gone')) throw thrown;
      resourceVersion = undefined;
    }
  }
}

function changeText(type: string, item: Item, format: GetFormat): string {
  if (format === 'name' || format === 'table' || format === 'wide')
    return `${type.toLowerCase()}   ${labelOf(item.kind, item.object.metadata.name ?? '')}${reasonOf(item.object)}\n`;
  return format === 'yaml' ? `---\n${objectsText([item], 'yaml', true)}` : objectsText([item], 'jsonl');
}

/** Phase and readiness, for one line. */
function reasonOf(object: KubeObject): string {
  const { phase, conditions } = (object as { status?: { phase?: string; conditions?: ConditionLike[] } }).status ?? {};
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const parts = [
    phase,
    ready === undefined ? undefined : `Ready=${ready.status}${ready.reason ? ` (${ready.reason})` : ''}`,
  ];
  const text = parts.filter(part => part !== undefined && part !== '').join('   ');
  return text === '' ? '' : `   ${text}`;
}

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}
