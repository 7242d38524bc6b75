import { type Column, compileJsonPath, formatAge, type KubeObject, parseTime } from '@chandlery/api';

/** What a table cell may hold; null shows as nothing. */
export type Cell = string | number | bigint | boolean | null;

/** Computes one column of one row. */
export type CellReader = (object: KubeObject, now: Date) => Cell;

/** Makes the reader of a column, from its function or its path. A path that cannot be parsed shows nothing. */
export function compileCell(column: Column): CellReader {
  const { cell, jsonPath, type } = column;
  if (cell !== undefined) return (object, now) => cellOfBuiltIn(type, cell(object, now), now);
  const read = jsonPath === undefined ? undefined : tryCompile(jsonPath);
  if (read === undefined) return () => null;
  return (object, now) => cellOfPath(type, read(object)[0], now);
}

/** What a column sorts by: the value behind its cell, of times the latest first, as ages. Undefined sorts last. */
export type SortReader = (object: KubeObject) => string | number | undefined;

/** Makes the reader of what a column sorts by. It does not depend on when it is asked. */
export function compileSortValue(column: Column): SortReader {
  const { cell, jsonPath, type, sortValue } = column;
  if (sortValue !== undefined) return sortValue;
  const read = jsonPath === undefined ? undefined : tryCompile(jsonPath);
  return object => sortValueOf(type, cell === undefined ? read?.(object)[0] : cell(object, noTime));
}

/** Cells that show ages have a `sortValue`. */
const noTime = new Date(0);

function sortValueOf(type: Column['type'], value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === 'date') {
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    return time && -time.getTime();
  }
  return typeof value === 'number' ? value : textOf(value);
}

function tryCompile(jsonPath: string): ((value: unknown) => readonly unknown[]) | undefined {
  try {
    return compileJsonPath(jsonPath);
  } catch {
    // The CRD was accepted with it; one unusable column must not cost the whole table.
    return undefined;
  }
}

function cellOfBuiltIn(type: Column['type'], value: string | number | boolean | undefined, now: Date): Cell {
  if (type === 'date') return formatAge(typeof value === 'string' ? value : undefined, now);
  return value ?? (type === 'string' ? '<none>' : null);
}

/** Only the first result counts, and a value of another type than the column's shows nothing, except in strings. */
function cellOfPath(type: Column['type'], value: unknown, now: Date): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function ageOf(text: string, now: Date): string {
  const time = parseTime(text);
  return time === undefined ? '<invalid>' : formatAge(time, now);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : sortedText(value));

/** Maps print in key order, whatever the order in which they were written. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value).sort();
  return `{${fields.map(key => `${JSON.stringify(key)}:${sortedText((value as Record<string, unknown>)[key])}`).join(',')}}`;
}
