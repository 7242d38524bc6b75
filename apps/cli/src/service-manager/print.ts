import type { CommandContext } from '../command.ts';
import { formatValue, isForPeople } from '../output/print-object.ts';
import { printList as printListed, printOne as printObject } from '../output/print-results.ts';
import { formatPairs } from '../output/table.ts';
import { printingOf } from './flags.ts';
import { columnsWithNames } from './named-columns.ts';
import type { SmClient } from './sm-client.ts';
import type { Column, SmKind } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

interface PrintedList {
  readonly kind: SmKind;
  readonly items: readonly SmObject[];
  /** Said when there are none. Default: nothing. */
  readonly whenEmpty?: string | undefined;
}

/** Prints resources with the columns of their kind; tables have names in place of ids. */
export async function printList(
  context: CommandContext,
  sm: SmClient,
  { kind, items, whenEmpty }: PrintedList,
): Promise<void> {
  const columns = isForPeople(printingOf(context.flags)) ? await columnsWithNames(sm, kind, items) : kind.columns;
  printTable(context, { ...kind, ...(whenEmpty !== undefined && { whenEmpty }) }, items, columns);
}

/** Prints resources with some columns, or whole. */
export function printTable(
  context: CommandContext,
  { noun, whenEmpty }: Pick<SmKind, 'noun'> & { readonly whenEmpty?: string },
  items: readonly SmObject[],
  columns: readonly Column[],
): void {
  const listed = { noun, columns, name: nameOrId, ...(whenEmpty !== undefined && { whenEmpty }) };
  printListed(context, { items, listed, format: printingOf(context.flags) });
}

/** Prints one resource, a line for each field that it has; people get names in place of ids. */
export async function printOne(context: CommandContext, sm: SmClient, found: Found): Promise<void> {
  const { kind, object } = found;
  const format = printingOf(context.flags);
  const columns = isForPeople(format) ? await columnsWithNames(sm, kind, [object]) : kind.columns;
  const render = (): string => `${formatPairs(linesOf(columns, object))}${credentialsText(object.credentials)}`;
  printObject(context, { object, format, render, name: nameOrId });
}

interface Found {
  readonly kind: SmKind;
  readonly object: SmObject;
}

const nameOrId = ({ name, id }: SmObject): string => name || id;

/** Prints a document that has no columns: as JSON unless YAML is wanted. */
export function printDocument(context: CommandContext, document: unknown): void {
  context.stdout.write(formatValue(document, printingOf(context.flags) === 'yaml' ? 'yaml' : 'json'));
}

/** Prints what was done: a sentence for people, a document for programs. */
export function printDone({ stdout, flags }: CommandContext, sentence: string, document: object): void {
  const format = printingOf(flags);
  if (isForPeople(format) || format === 'name') stdout.write(sentence);
  else
    stdout.write(
      format === 'jsonl' ? `${JSON.stringify(document)}\n` : formatValue(document, format === 'yaml' ? 'yaml' : 'json'),
    );
}

function linesOf(columns: readonly Column[], object: SmObject): (readonly [string, string])[] {
  const now = new Date();
  const lines = columns.map(([heading, read]) => [titleOf(heading), read(object, now) ?? ''] as const);
  return lines.filter(([, value]) => value !== '');
}

const titleOf = (heading: string): string =>
  heading.replace(/^./, letter => letter.toUpperCase()).replace(/\b(id|url)\b/gi, word => word.toUpperCase());

/** A line for each value, so that it can be copied; certificates have several. */
const credentialsText = (credentials: unknown): string =>
  credentials === undefined || credentials === null
    ? ''
    : `Credentials:\n${formatValue(credentials, 'yaml').trimEnd().replaceAll(/^/gm, '  ')}\n`;
