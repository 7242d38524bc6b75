import {
  type Column,
  type CompiledJsonPath,
  compileJsonPath,
  formatAge,
  type JsonPathBudget,
  jsonPathBudget,
  type KubeObject,
  parseTime,
} from '@chandlery/api';

/** What a table cell may hold; null shows as nothing. */
export type Cell = string | number | bigint | boolean | null;

/**
 * What the cells of a row may cost together. A tenant's kind has as many columns as it likes, each of which may look at a
 * whole object, or show all of it.
 */
export interface CellBudget extends JsonPathBudget {
  textLeft: number;
}

/** The texts of a row are no longer than this; what comes after is cut. */
const maxRowText = 64 * 1024;
export const cellBudget = (): CellBudget => ({ ...jsonPathBudget(), textLeft: maxRowText });

/** Computes one column of one row. `budget`: default, one of its own. */
export type CellReader = (object: KubeObject, now: Date, budget?: CellBudget) => Cell;

/** Makes the reader of a column, from its function or its path. A path that cannot be parsed shows nothing. */
export function compileCell(column: Column): CellReader {
  const { cell, jsonPath, type } = column;
  if (cell !== undefined) return (object, now) => cellOfBuiltIn(type, cell(object, now), now);
  const read = jsonPath === undefined ? undefined : tryCompile(jsonPath);
  if (read === undefined) return () => null;
  return (object, now, budget = cellBudget()) => cellOfPath(type, read(object, budget)[0], { now, budget });
}

/** What a column sorts by: the value behind its cell, of times the latest first, as ages. Undefined sorts last. */
export type SortReader = (object: KubeObject, budget?: JsonPathBudget) => string | number | undefined;

/** Makes the reader of what a column sorts by. It does not depend on when it is asked. */
export function compileSortValue(column: Column): SortReader {
  const { cell, jsonPath, type, sortValue } = column;
  if (sortValue !== undefined) return sortValue;
  const read = jsonPath === undefined ? undefined : tryCompile(jsonPath);
  return (object, budget) => sortValueOf(type, cell === undefined ? read?.(object, budget)[0] : cell(object, noTime));
}

/** Longer texts sort by their beginning. */
const maxSortText = 500;

/** Cells that show ages have a `sortValue`. */
const noTime = new Date(0);

function sortValueOf(type: Column['type'], value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === 'date') {
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    return time && -time.getTime();
  }
  return typeof value === 'number' ? value : textOf(value, { textLeft: maxSortText });
}

function tryCompile(jsonPath: string): CompiledJsonPath | undefined {
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
function cellOfPath(
  type: Column['type'],
  value: unknown,
  { now, budget }: { readonly now: Date; readonly budget: CellBudget },
): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return textOf(value, budget);
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

type Room = Pick<CellBudget, 'textLeft'>;

const textOf = (value: unknown, room: Room): string =>
  typeof value === 'string' ? fitting(value, room) : sortedText(value, room);

/** As much of a text as there is room for. */
function fitting(text: string, room: Room): string {
  const shown = text.length <= room.textLeft ? text : text.slice(0, room.textLeft);
  room.textLeft -= shown.length;
  return shown;
}

/** Maps print in key order, whatever the order in which they were written. */
function sortedText(value: unknown, room: Room): string {
  if (room.textLeft <= 0) return '';
  if (typeof value === 'string') return fitting(JSON.stringify(value.slice(0, room.textLeft)), room);
  if (typeof value !== 'object' || value === null) return fitting(JSON.stringify(value) ?? 'null', room);
  if (Array.isArray(value)) return `[${partsOf(value, room, item => sortedText(item, room))}]`;
  const entry = (key: string): string =>
    `${fitting(JSON.stringify(key), room)}:${sortedText((value as Record<string, unknown>)[key], room)}`;
  return `{${partsOf(Object.keys(value).sort(), room, entry)}}`;
}

function partsOf<T>(items: readonly T[], room: Room, text: (item: T) => string): string {
  const parts: string[] = [];
  for (const item of items) {
    if (room.textLeft <= 0) break;
    parts.push(text(item));
    // A separator, too: lists of nothing end at last.
    room.textLeft -= 1;
  }
  return parts.join(',');
}
