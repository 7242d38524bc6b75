import type { Output } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { writeTable } from '../output/table.ts';
import type { RecordFormat } from './orders-flags.ts';

interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

interface WithId {
  readonly id: string;
}

/** How records of a kind are shown in a list. */
export interface ListedRecords<T> {
  /** One of them: "order". */
  readonly noun: string;
  readonly columns: readonly (readonly [heading: string, cell: (record: T, now: Date) => string])[];
  /** Said when there is nothing to list. */
  readonly whenEmpty: string;
}

/** Prints a list of records. */
export function printRecords<T extends WithId>(
  outputs: Outputs,
  {
    items,
    listed,
    format,
  }: { readonly items: readonly T[]; readonly listed: ListedRecords<T>; readonly format: RecordFormat },
): void {
  if (format === 'name') return void outputs.stdout.write(items.map(({ id }) => `${id}\n`).join(''));
  if (format !== 'table') return void outputs.stdout.write(formatValue({ items }, format));
  const now = new Date();
  const rows = items.map(item => listed.columns.map(([, cell]) => cell(item, now)));
  writeTable(outputs, { headings: listed.columns.map(([heading]) => heading), rows, noun: listed.noun });
  if (items.length === 0) outputs.stderr.write(`${listed.whenEmpty}\n`);
}

/** Prints one record; `render` is what people read. */
export function printRecord<T extends WithId>(
  { stdout }: Pick<Outputs, 'stdout'>,
  {
    record,
    format,
    render,
  }: { readonly record: T; readonly format: RecordFormat; readonly render: (record: T) => string },
): void {
  if (format === 'table') stdout.write(render(record));
  else stdout.write(format === 'name' ? `${record.id}\n` : formatValue(record, format));
}
