const gap = 3;

/** Rows under upper-case headings, aligned as kubectl does. Empty cells show as `<none>`. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings.map(heading => heading.toUpperCase()), ...rows.map(row => row.map(cell => cell || '<none>'))];
  return align(cells);
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
