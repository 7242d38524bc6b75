import type { CommandContext } from '../command.ts';
import { colour } from './colour.ts';
import { stateColour } from './state-colour.ts';

type Outputs = Pick<CommandContext, 'stdout' | 'stderr' | 'env'>;

const gap = 3;

/** Changes how a cell looks, and not how wide it is. */
type Paint = (cell: string, column: number) => string;

/** Rows under upper-case headings, aligned as kubectl does. Empty cells show as `<none>`. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[], paint?: Paint): string {
  const cells = [headings.map(heading => heading.toUpperCase()), ...rows.map(row => row.map(cell => cell || '<none>'))];
  return align(cells, paint);
}

/** Colours cells that show a state, where the output has colours. */
export const statePaint =
  ({ stdout, env }: Pick<Outputs, 'stdout' | 'env'>, headings: readonly string[]): Paint =>
  (cell, column) => {
    const style = stateColour(headings[column] ?? '', cell);
    return style === undefined ? cell : colour(cell, style, stdout, env);
  };

/** What a table is made of, and what its rows are called. */
interface Listing {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One of them: "service broker". */
  readonly noun: string;
  /** Where they were looked for, worded to follow "found". Default: everywhere. */
  readonly place?: string;
  /** Said after that, when there is nothing to list. Default: nothing. */
  readonly whenEmpty?: string;
}

/** Prints a table. That there is nothing to list is said beside it, as kubectl does: programs read no rows. */
export function writeTable(outputs: Outputs, { headings, rows, noun, place = '', whenEmpty }: Listing): void {
  if (rows.length === 0) {
    const hint = whenEmpty === undefined ? '' : `${whenEmpty}\n`;
    outputs.stderr.write(`No ${noun.replace(/y$/, 'ie')}s found${place}.\n${hint}`);
  } else outputs.stdout.write(formatTable(headings, rows, statePaint(outputs, headings)));
}

/** Names and values, one a line, values aligned. */
export const formatPairs = (pairs: readonly (readonly [name: string, value: string])[]): string =>
  align(pairs.map(([name, value]) => [`${name}:`, value]));

/** Pads all columns but the last one to the width of their widest cell. */
export function align(rows: readonly (readonly string[])[], paint: Paint = cell => cell): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0),
  );
  const lines = rows.map(row =>
    row
      .map((cell, column) => paint(cell, column) + ' '.repeat((widths[column] ?? 0) + gap - cell.length))
      .join('')
      .trimEnd(),
  );
  return lines.map(line => `${line}\n`).join('');
}
