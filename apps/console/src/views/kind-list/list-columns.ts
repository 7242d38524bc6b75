import { type ObjectState, situationOf } from '@chandlery/api';
import type { ColumnDefinition, ServerTable, TableRow } from '../../api/table.ts';
import { stateWords } from '../../ui/state-words.ts';

/** A column of a list, with its place in the cells of rows. */
export interface ListColumn extends ColumnDefinition {
  readonly index: number;
}

/** Which columns a list shows. */
export interface ListColumns {
  /** Whether there is a column of states. Kinds without any status need none. */
  readonly hasStates: boolean;
  readonly columns: readonly ListColumn[];
  /** The word that the kind itself has for the state of an object; empty when it says no more than the state. */
  readonly wordOf: (row: TableRow) => string;
}

interface ColumnChoice {
  /** Whether columns are shown that the kind declares as less important, and those that repeat the state. */
  readonly isWide: boolean;
  /** Columns that the view leaves out. */
  readonly hidden?: readonly string[];
  /** Columns that the view shows although they are less important. */
  readonly shown?: readonly string[];
}

/** Objects with an id for a name show the name that people gave them in the column of names. */
const givenNameColumn = 'Display-Name';
/** Columns that say how an object is. */
const stateColumns: ReadonlySet<string> = new Set(['state', 'status', 'phase']);
const truths: ReadonlySet<string> = new Set(['true', 'false', 'unknown', '–']);

/** Decides which columns are shown. What a kind says of its state is shown with the state, not in a column of its own. */
export function listColumns(table: ServerTable, { isWide, hidden = [], shown = [] }: ColumnChoice): ListColumns {
  const all = table.columnDefinitions.map((definition, index): ListColumn => ({ ...definition, index }));
  const own = all.find(({ name }) => stateColumns.has(name.toLowerCase()));
  const repeated = new Set(isWide ? [] : [own, ...all.filter(column => isTruth(table, column))]);
  const columns = all.filter(column => {
    const { name, priority = 0 } = column;
    if (isWide) return true;
    return (
      (priority === 0 || shown.includes(name)) &&
      name !== givenNameColumn &&
      !hidden.includes(name) &&
      !repeated.has(column)
    );
  });
  const wordOf = ({ cells, object }: TableRow): string =>
    own === undefined || isWide ? '' : ownWord(situationOf(object).state, textOfCell(cells[own.index]));
  const counts = Object.entries(table.metadata.stateCounts ?? {});
  const hasStates =
    counts.some(([state, count]) => state !== 'exists' && count > 0) ||
    table.rows.some(row => situationOf(row.object).state !== 'exists' || wordOf(row) !== '');
  return { hasStates, columns, wordOf };
}

/** Whether a column only says if an object is ready, which is its state. */
const isTruth = ({ rows }: ServerTable, { name, index }: ListColumn): boolean =>
  name.toLowerCase() === 'ready' && rows.every(({ cells }) => truths.has(textOfCell(cells[index]).toLowerCase()));

/** The kind's word, unless it is the word of the state. */
const ownWord = (state: ObjectState, word: string): string =>
  word === '–' || word.toLowerCase() === stateWords[state].word.toLowerCase()
    ? ''
    : word.charAt(0).toUpperCase() + word.slice(1);

/** What a cell says. */
export function textOfCell(cell: unknown): string {
  if (cell === null || cell === undefined || cell === '' || cell === '<none>') return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
