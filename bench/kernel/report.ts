/** Something that was aimed at, and whether it was reached. */
export interface Aim {
  readonly text: string;
  readonly isMet: boolean;
}

/** One line of the result. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** What etcd did in the same run. Default: it has nothing like it, or was left out. */
  readonly etcd?: number;
  readonly aim?: Aim;
  readonly note?: string;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  /** What a reader must know to not be misled. Default none. */
  readonly remarks?: readonly string[];
}

/** An aim of at least, or at most, so much. */
export const atLeast = (value: number, aim: number, unit: string): Aim => ({
  text: `≥ ${aim} ${unit}`.trim(),
  isMet: value >= aim,
});
export const atMost = (value: number, aim: number, unit: string): Aim => ({
  text: `≤ ${aim} ${unit}`.trim(),
  isMet: value <= aim,
});

const heading = ['', 'ours', 'etcd', 'ours/etcd', 'aim', ''];

/** A section as an aligned table. */
export function formatSection({ title, rows, remarks = [] }: Section): string {
  const cells = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)));
  const lines = cells.map(row =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...lines.map(line => `  ${line}`), ...remarks.map(remark => `  * ${remark}`), ''].join('\n');
}

const cellsOf = (row: Row): string[] => [
  row.what,
  `${formatNumber(row.ours)} ${row.unit}`,
  row.etcd === undefined ? '' : `${formatNumber(row.etcd)} ${row.unit}`,
  row.etcd === undefined ? '' : `${(row.ours / row.etcd).toFixed(2)} ×`,
  row.aim === undefined ? '' : `${row.aim.isMet ? 'met' : 'MISSED'} (${row.aim.text})`,
  row.note ?? '',
];

/** Numbers to the right, words to the left. */
const pad = (cell: string, width: number, column: number): string =>
  column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width);

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One line for each aim, met or missed. */
export const verdicts = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ title, rows }) =>
    rows.flatMap(row =>
      row.aim === undefined
        ? []
        : [`${row.aim.isMet ? 'met   ' : 'MISSED'}  ${title}, ${row.what}: ${describe(row)} (${row.aim.text})`],
    ),
  );

const describe = ({ ours, etcd, unit }: Row): string =>
  `${formatNumber(ours)} ${unit}${etcd === undefined ? '' : `, ${(ours / etcd).toFixed(2)} × etcd`}`;
