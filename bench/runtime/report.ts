/** Something that was aimed at, and whether it was reached. */
export interface Aim {
  /** Completes "the aim is …". */
  readonly text: string;
  readonly isMet: boolean;
}

/** One line of the result. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** What it is compared with; the heading says what that is. Default: nothing. */
  readonly baseline?: number;
  readonly aim?: Aim;
  readonly note?: string;
}

export interface Section {
  readonly title: string;
  /** What the baseline of all rows is. */
  readonly baseline: string;
  readonly rows: readonly Row[];
  /** What a reader must know to not be misled. Default none. */
  readonly remarks?: readonly string[];
}

/** A section as an aligned table. */
export function formatSection({ title, baseline, rows, remarks = [] }: Section): string {
  const heading = ['', 'ours', baseline, 'ratio', 'aim', ''];
  const cells = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)));
  const lines = cells.map(row =>
    row
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...lines.map(line => `  ${line}`), ...remarks.map(remark => `  * ${remark}`), ''].join('\n');
}

const isNumber = (column: number): boolean => column >= 1 && column <= 3;

const cellsOf = (row: Row): string[] => [
  row.what,
  `${formatNumber(row.ours)} ${row.unit}`,
  row.baseline === undefined ? '' : `${formatNumber(row.baseline)} ${row.unit}`,
  row.baseline === undefined ? '' : `${formatNumber(row.ours / row.baseline)} ×`,
  row.aim === undefined ? '' : `${row.aim.isMet ? 'met' : 'MISSED'} (${row.aim.text})`,
  row.note ?? '',
];

function formatNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 5;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One line for each aim, met or missed. */
export const verdicts = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ title, rows }) =>
    rows.flatMap(({ what, unit, ours, aim }) =>
      aim === undefined
        ? []
        : [`${aim.isMet ? 'met   ' : 'MISSED'}  ${title}, ${what}: ${formatNumber(ours)} ${unit} (${aim.text})`],
    ),
  );
