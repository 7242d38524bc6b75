import type { CommandContext } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { formatPairs, writeTable } from '../output/table.ts';
import { printingOf } from './flags.ts';
import type { Column, SmKind } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** Prints resources as a table with the columns of their kind. */
export function printList(context: CommandContext, kind: SmKind, items: readonly SmObject[]): void {
  printTable(context, kind, items, kind.columns);
}

/** Prints resources as a table with some columns, or whole. */
export function printTable(
  context: CommandContext,
  { noun }: Pick<SmKind, 'noun'>,
  items: readonly SmObject[],
  columns: readonly Column[],
): void {
  const format = printingOf(context.flags);
  if (format !== 'table') return void context.stdout.write(formatValue({ items }, format));
  const headings = columns.map(([heading]) => heading);
  const rows = items.map(item => columns.map(([, read]) => read(item) ?? ''));
  writeTable(context, { headings, rows, noun });
}

/** Prints one resource, a line for each field that it has. */
export function printOne(context: CommandContext, kind: SmKind, object: SmObject): void {
  const format = printingOf(context.flags);
  context.stdout.write(format === 'table' ? formatPairs(linesOf(kind, object)) : formatValue(object, format));
}

/** Prints a document that has no columns: as JSON unless YAML is wanted. */
export function printDocument(context: CommandContext, document: unknown): void {
  const format = printingOf(context.flags);
  context.stdout.write(formatValue(document, format === 'table' ? 'json' : format));
}

function linesOf(kind: SmKind, object: SmObject): (readonly [string, string])[] {
  const lines = kind.columns.map(([heading, read]) => [titleOf(heading), read(object) ?? ''] as const);
  const all = [...lines, ['Credentials', credentialsText(object.credentials)] as const];
  return all.filter(([, value]) => value !== '');
}

const titleOf = (heading: string): string =>
  heading.replace(/^./, letter => letter.toUpperCase()).replace(/\b(id|url)\b/gi, word => word.toUpperCase());

const credentialsText = (credentials: unknown): string =>
  credentials === undefined || credentials === null ? '' : JSON.stringify(credentials);
