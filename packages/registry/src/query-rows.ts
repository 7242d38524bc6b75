import type { IndexMap } from './index-map.ts';
import { comparePlaces, type OrderedRows, type Placed } from './ordered-rows.ts';
import type { TablePage, TableQuery } from './table.ts';

/** The rows and indexes that a query reads. */
export interface QuerySource<R extends Placed> {
  readonly all: OrderedRows<R>;
  indexOf(name: string): IndexMap<R>;
}

/** One condition of a query, with its index. */
interface Clause<R extends Placed> {
  readonly index: IndexMap<R>;
  readonly terms: ReadonlySet<string>;
  /** At most so many rows fulfil it. */
  readonly size: number;
}

type Test<R> = (row: R) => boolean;
type Page<R> = Pick<TableQuery<R, string>, 'after' | 'limit'>;

/** Runs a query: walks the narrowest index and tests each of its rows for the other conditions. */
export function queryRows<R extends Placed>(source: QuerySource<R>, query: TableQuery<R, string>): TablePage<R> {
  const clauses = (query.where ?? []).map(({ index, values }) => clauseOf(source.indexOf(index), values));
  const [narrowest, ...others] = clauses.sort((one, other) => one.size - other.size);
  const sources = narrowest === undefined ? [source.all] : sourcesOf(narrowest);
  const test = testOf(others, query.filter);
  if (test !== undefined) return scan(sources, test, query);
  const isDisjoint = sources.length === 1 || narrowest?.index.isDisjoint === true;
  return pageOf(sources, isDisjoint, query);
}

function clauseOf<R extends Placed>(index: IndexMap<R>, values: readonly string[]): Clause<R> {
  const terms = new Set(values);
  let size = 0;
  for (const term of terms) size += index.count(term);
  return { index, terms, size };
}

const sourcesOf = <R extends Placed>({ index, terms }: Clause<R>): readonly OrderedRows<R>[] =>
  [...terms].map(term => index.rows(term));

function testOf<R extends Placed>(clauses: readonly Clause<R>[], filter: Test<R> | undefined): Test<R> | undefined {
  if (clauses.length === 0) return filter;
  return row => clauses.every(({ index, terms }) => index.has(row, terms)) && (filter === undefined || filter(row));
}

/** A page of rows that all match: of each source only as many are read as could be on the page. */
function pageOf<R extends Placed>(
  sources: readonly OrderedRows<R>[],
  isDisjoint: boolean,
  { after, limit = Number.POSITIVE_INFINITY }: Page<R>,
): TablePage<R> {
  const heads = sources.map(source => headOf(after === undefined ? source : source.after(after), limit + 1));
  const candidates = unionOf(heads);
  const rows = candidates.length > limit ? candidates.slice(0, limit) : candidates;
  const total = isDisjoint ? sources.reduce((sum, { size }) => sum + size, 0) : unionOf(sources).length;
  return { rows, total, more: candidates.length > limit };
}

function headOf<R>(source: Iterable<R>, count: number): R[] {
  const head: R[] = [];
  for (const row of source) if (head.push(row) >= count) break;
  return head;
}

function scan<R extends Placed>(
  sources: readonly OrderedRows<R>[],
  holds: Test<R>,
  { after, limit = Number.POSITIVE_INFINITY }: Page<R>,
): TablePage<R> {
  const rows: R[] = [];
  let total = 0;
  let more = false;
  const visit = (row: R): void => {
    if (!holds(row)) return;
    total++;
    if (after !== undefined && comparePlaces(row, after) <= 0) return;
    if (rows.length < limit) rows.push(row);
    else more = true;
  };
  if (sources.length === 1) sources[0]?.forEach(visit);
  else unionOf(sources).forEach(visit);
  return { rows, total, more };
}

/** The rows of sources that are in order themselves, each once, in order. */
function unionOf<R extends Placed>(sources: readonly Iterable<R>[]): R[] {
  // The sort finds the runs that are in order already, and only merges them.
  const sorted = sources.flatMap(source => [...source]);
  if (sources.length === 1) return sorted;
  return sorted.sort(comparePlaces).filter((row, index) => row !== sorted[index - 1]);
}
