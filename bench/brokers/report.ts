/** A number that every row of a table may have. */
export interface Column {
  readonly key: string;
  readonly heading: string;
  /** Default: none. */
  readonly unit?: string;
}

export interface Row {
  readonly what: string;
  /** By the keys of columns. What is missing stays empty. */
  readonly values: Readonly<Record<string, number>>;
}

/** Something that was aimed at, and whether it was reached. */
export interface Aim {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** `≥ 2 ×`. */
  readonly aim: string;
  readonly isMet: boolean;
}

export interface Section {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly aims: readonly Aim[];
  /** What a reader must know to not be misled. Default none. */
  readonly remarks?: readonly string[];
}

/** An aim of at least, or at most, so much. */
export const atLeast = (what: string, value: number, [aim, unit]: readonly [number, string]): Aim => ({
  what,
  value,
  unit,
  aim: `≥ ${aim} ${unit}`,
  isMet: value >= aim,
});
export const atMost = (what: string, value: number, [aim, unit]: readonly [number, string]): Aim => ({
  what,
  value,
  unit,
  aim: `≤ ${aim} ${unit}`,
  isMet: value <= aim,
});

/** A section as an aligned table, with its aims below. */
export function formatSection({ title, columns, rows, aims, remarks = [] }: Section): string {
  const cells = [
    ['', ...columns.map(({ heading }) => heading)],
    ...rows.map(({ what, values }) => [what, ...columns.map(column => formatCell(column, values[column.key]))]),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map(row => row[index + 1]?.length ?? 0)));
  const first = Math.max(...cells.map(([what = '']) => what.length));
  const lines = cells.map(([what = '', ...others]) =>
    [what.padEnd(first), ...others.map((cell, index) => cell.padStart(widths[index] ?? 0))].join('  ').trimEnd(),
  );
  const below = [...aims.map(formatAim), ...remarks.map(remark => `* ${remark}`)];
  return [title, ...lines.map(line => `  ${line}`), ...below.map(line => `  ${line}`), ''].join('\n');
}

const formatAim = ({ what, value, unit, aim, isMet }: Aim): string =>
  `${isMet ? 'met   ' : 'MISSED'}  ${what}: ${formatNumber(value)} ${unit} (${aim})`;

const formatCell = ({ unit }: Column, value: number | undefined): string =>
  value === undefined ? '' : [formatNumber(value), unit].join(' ').trimEnd();

function formatNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One line for each aim, met or missed. */
export const verdicts = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ title, aims }) => aims.map(aim => formatAim({ ...aim, what: `${title}: ${aim.what}` })));
