import { isRecord, type KubeObject } from '@chandlery/api';
import type { CommandContext } from '../command.ts';
import { formatValue, type ResultFormat } from './print-object.ts';
import { writeTable } from './table.ts';

/** A column of a list; `wide`: only shown by `-o wide`. */
export type Column<T> = readonly [
  heading: string,
  cell: (item: T, now: Date) => string | undefined,
  isWide?: 'wide' | undefined,
];

/** How objects of a kind are shown in a list. */
export interface Listed<T> {
  /** One of them: "instance". */
  readonly noun: string;
  readonly columns: readonly Column<T>[];
  /** Said when there is nothing to list. Default: nothing. */
  readonly whenEmpty?: string;
  /** What holds them in JSON and YAML: a Kubernetes List, `{"items": […]}`, or an array. Default: items. */
  readonly document?: 'List' | 'items' | 'array';
  /** Default: {@link nameOf}. */
  readonly name?: (item: T) => string;
}

type Outputs = Pick<CommandContext, 'stdout' | 'stderr' | 'env'>;

/** Prints objects in any format. */
export function printList<T extends object>(
  outputs: Outputs,
  {
    items,
    listed,
    format,
  }: { readonly items: readonly T[]; readonly listed: Listed<T>; readonly format: ResultFormat },
): void {
  switch (format) {
    case 'name':
      return void outputs.stdout.write(items.map(item => `${(listed.name ?? nameOf)(item)}\n`).join(''));
    case 'jsonl':
      return void outputs.stdout.write(items.map(item => `${JSON.stringify(item)}\n`).join(''));
    case 'json':
    case 'yaml':
      return void outputs.stdout.write(formatValue(documentOf(items, listed.document), format));
    default:
      printTable(outputs, items, { listed, isWide: format === 'wide' });
  }
}

function printTable<T>(
  outputs: Outputs,
  items: readonly T[],
  { listed, isWide }: { readonly listed: Listed<T>; readonly isWide: boolean },
): void {
  const now = new Date();
  const columns = listed.columns.filter(([, , wide]) => isWide || wide === undefined);
  const rows = items.map(item => columns.map(([, cell]) => cell(item, now) ?? ''));
  const { noun, whenEmpty } = listed;
  const headings = columns.map(([heading]) => heading);
  writeTable(outputs, { headings, rows, noun, ...(whenEmpty !== undefined && { whenEmpty }) });
}

function documentOf(items: readonly object[], document: Listed<object>['document'] = 'items'): unknown {
  if (document === 'array') return items;
  return document === 'List' ? { apiVersion: 'v1', kind: 'List', items } : { items };
}

/** Prints one object in any format; `render` is what people read. */
export function printOne<T extends object>(
  { stdout }: Pick<Outputs, 'stdout'>,
  {
    object,
    format,
    render,
    name = nameOf,
  }: {
    readonly object: T;
    readonly format: ResultFormat;
    readonly render: (object: T) => string;
    /** Default: {@link nameOf}. */
    readonly name?: (object: T) => string;
  },
): void {
  switch (format) {
    case 'name':
      return void stdout.write(`${name(object)}\n`);
    case 'jsonl':
      return void stdout.write(`${JSON.stringify(object)}\n`);
    case 'json':
    case 'yaml':
      return void stdout.write(formatValue(object, format));
    default:
      stdout.write(render(object));
  }
}

/** `fleetinstance.fleet.chandlery.io/NAME` of a Kubernetes object, as kubectl says it; of a record its id, or its name. */
export function nameOf(object: object): string {
  const { apiVersion, kind, metadata, id, name } = object as Partial<KubeObject> & { id?: unknown; name?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !isRecord(metadata))
    return textOf(id) ?? textOf(name) ?? '';
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${textOf(metadata['name']) ?? ''}`;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
