import { isError, type KubeObject } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { isForPeople, type ResultFormat, resultFormats } from '../output/print-object.ts';
import { printList, printOne } from '../output/print-results.ts';
import { formatTable, statePaint, writeTable } from '../output/table.ts';
import { creationHint } from '../tenants/tenant-kinds.ts';
import { findKind, type ServedKind } from './discover.ts';
import { collectionIn, labelOf, openScope, type Scope, scopeFlags, targetsOf, withoutManagedFields } from './scope.ts';
import { readTable, type ServerTable } from './server-table.ts';

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
  formats: resultFormats,
  options: {
    ...scopeFlags,
    'all-namespaces': { type: 'switch', short: 'A', about: 'In all namespaces.' },
    selector: { type: 'text', short: 'l', valueName: 'LABELS', about: 'Only objects with these labels.' },
    'field-selector': { type: 'text', valueName: 'FIELDS', about: 'Only objects with these values of fields.' },
    watch: { type: 'switch', short: 'w', about: 'Print changes as they come, until it is stopped.' },
  },
  goal: ([kind]) => `get ${kind ?? 'objects'}`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using scope = await openScope(context);
    const [word = ''] = context.args;
    if (context.args.length > 1 || word.includes('/')) await showNamed(context, scope, format);
    else {
      const kinds = word.split(',').map(name => findKind(name, scope.kinds));
      const lists = await Promise.all(kinds.map(kind => readList(context, scope, kind, format)));
      printLists(context, lists, format);
      if (!context.flags.isOn('watch')) return 0;
      using stop = listenForStop();
      await Promise.all(lists.map(list => follow(context, scope.client, list, { format, signal: stop.signal })));
      return stop.exitCode;
    }
    return 0;
  },
};

async function showNamed(context: CommandContext, scope: Scope, format: ResultFormat): Promise<void> {
  const targets = targetsOf(context.args, scope);
  if (isForPeople(format)) {
    for (const { ref } of targets) writeObject(context, await readTable(scope.client, ref), format);
    return;
  }
  const items = await Promise.all(targets.map(async ({ kind, ref }) => itemOf(kind, await scope.client.get(ref))));
  const [first] = items;
  if (items.length === 1 && first !== undefined) printOne(context, { object: first.object, format, ...naming(first) });
  else printItems(context, items, format);
}

/** The objects of a kind, as the server's table or as they are. */
interface ReadList {
  readonly kind: ServedKind;
  readonly collection: ResourceRef;
  readonly selection: { readonly labelSelector?: string; readonly fieldSelector?: string };
  readonly isEverywhere: boolean;
  readonly table?: ServerTable;
  readonly items: readonly Item[];
}

async function readList(
  { flags }: CommandContext,
  scope: Scope,
  kind: ServedKind,
  format: ResultFormat,
): Promise<ReadList> {
  const isEverywhere = flags.isOn('all-namespaces');
  const collection = collectionIn(scope, kind, isEverywhere);
  const labelSelector = flags.text('selector');
  const fieldSelector = flags.text('field-selector');
  const selection = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  const list = { kind, collection, selection, isEverywhere, items: [] };
  if (isForPeople(format)) return { ...list, table: await readTable(scope.client, collection, selection) };
  const objects = await Array.fromAsync(scope.client.listAll(collection, selection));
  return { ...list, items: objects.map(object => itemOf(kind, object)) };
}

/** A table for each kind; all objects in one document. */
function printLists(context: CommandContext, lists: readonly ReadList[], format: ResultFormat): void {
  if (!isForPeople(format))
    printItems(
      context,
      lists.flatMap(({ items }) => items),
      format,
    );
  for (const { kind, collection, selection, table, isEverywhere } of lists) {
    const whenEmpty = Object.keys(selection).length === 0 ? creationHint(kind) : undefined;
    const { namespace } = collection;
    if (table !== undefined) writeList(context, kind, table, { format, isEverywhere, namespace, whenEmpty });
  }
}

interface TableOptions {
  readonly format: ResultFormat;
  readonly isEverywhere: boolean;
  readonly namespace: string | undefined;
  readonly whenEmpty: string | undefined;
}

function writeList(
  context: CommandContext,
  { kind, isNamespaced }: ServedKind,
  table: ServerTable,
  { format, isEverywhere, namespace, whenEmpty }: TableOptions,
): void {
  const shown = shownColumns(table, format);
  const hasNamespace = isNamespaced && isEverywhere;
  writeTable(context, {
    noun: kind,
    ...(namespace === undefined ? {} : { place: ` in the namespace "${namespace}"; -A looks in all` }),
    ...(whenEmpty !== undefined && { whenEmpty }),
    headings: [...(hasNamespace ? ['namespace'] : []), ...shown.map(({ name }) => name)],
    rows: table.rows.map(({ cells, object }) => [
      ...(hasNamespace ? [object?.metadata?.namespace ?? ''] : []),
      ...shown.map(({ index }) => cellText(cells[index])),
    ]),
  });
}

function writeObject(context: CommandContext, table: ServerTable, format: ResultFormat): void {
  const shown = shownColumns(table, format);
  const headings = shown.map(({ name }) => name);
  const rows = table.rows.map(({ cells }) => shown.map(({ index }) => cellText(cells[index])));
  context.stdout.write(formatTable(headings, rows, statePaint(context, headings)));
}

/** Columns of a priority above 0 are for wide tables. */
const shownColumns = ({ columnDefinitions }: ServerTable, format: ResultFormat) =>
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

const itemOf = (kind: ServedKind, object: KubeObject): Item => ({ kind, object: withoutManagedFields(object) });

const naming = ({ kind, object }: Item) => {
  const label = labelOf(kind, object.metadata.name ?? '');
  return { name: () => label, render: () => `${label}\n` };
};

function printItems(context: CommandContext, items: readonly Item[], format: ResultFormat): void {
  const names = new Map(items.map(item => [item.object, naming(item).name()]));
  const name = (object: KubeObject): string => names.get(object) ?? '';
  const objects = items.map(({ object }) => object);
  printList(context, { items: objects, listed: { noun: 'object', columns: [], document: 'List', name }, format });
}

/** Prints every later state of the objects of a list: one row or object each. */
async function follow(
  context: CommandContext,
  client: HttpClient,
  { kind, collection, selection, table }: ReadList,
  { format, signal }: { readonly format: ResultFormat; readonly signal: AbortSignal },
): Promise<void> {
  let resourceVersion = table?.metadata?.resourceVersion;
  while (!signal.aborted) {
    try {
      const options = {
        ...selection,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        signal,
      };
      for await (const { type, object } of client.watch(collection, options)) {
        resourceVersion = object.metadata.resourceVersion;
        if (type !== 'BOOKMARK') printChange(context, { type, ...itemOf(kind, object) }, format);
      }
    } catch (thrown) {
      // The history was compacted meanwhile: continue from the present state.
      if (!isError(thrown, 'Expired', 'Gone')) throw thrown;
      resourceVersion = undefined;
    }
  }
}

/** One row or object for each change; JSON a line each, so that readers see where an object ends. */
function printChange(context: CommandContext, change: Item & { readonly type: string }, format: ResultFormat): void {
  const { type, object, kind } = change;
  if (isForPeople(format) || format === 'name') {
    const text = `${type.toLowerCase()}   ${labelOf(kind, object.metadata.name ?? '')}${reasonOf(object)}\n`;
    context.stdout.write(text);
    return;
  }
  if (format === 'yaml') context.stdout.write('---\n');
  printOne(context, { object, format: format === 'json' ? 'jsonl' : format, ...naming(change) });
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
