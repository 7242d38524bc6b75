import type { CommandContext } from '../command.ts';

type Outputs = Pick<CommandContext, 'stdout' | 'stderr'>;

const gap = 3;

/** Rows under upper-case headings, aligned as kubectl does. Empty cells show as `<none>`. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings.map(heading => heading.toUpperCase()), ...rows.map(row => row.map(cell => cell || '<none>'))];
  return align(cells);
}

/** What a table is made of, and what its rows are called. */
interface Listing {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One of them: "service broker". */
  readonly noun: string;
}

/** Prints a table. That there is nothing to list is said beside it, as kubectl does: programs read no rows. */
export function writeTable({ stdout, stderr }: Outputs, { headings, rows, noun }: Listing): void {
  if (rows.length === 0) stderr.write(`No ${noun.replace(/y$/, 'ie')}s found.\n`);
  else stdout.write(formatTable(headings, rows));
}

/** Names and values, one a line, values aligned. */
export const formatPairs = (pairs: readonly (readonly [name: string, value: string])[]): string =>
  align(pairs.map(([name, value]) => [`${name}:`, value]));

/** Pads all columns but the last one to the width of their widest cell. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0),
  );
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + gap))
      .join('')
      .trimEnd(),
  );
  return lines.map(line => `${line}\n`).join('');
}
