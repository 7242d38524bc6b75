import { Pace } from '@chandlery/platform';
import type { Table } from '@chandlery/registry';
import { readAtTime } from '../../../model/lists/at-time.ts';
import { type ListColumns } from '../../../model/lists/list-column.ts';
import { type ListOrder, newestFirst, parseOrder } from '../../../model/lists/list-order.ts';
import { compileFilter } from '../../../model/lists/match-filter.ts';
import { formatPage, type ListParameters } from '../../../model/lists/page-token.ts';
import { parseFilter } from '../../../model/lists/parse-filter.ts';
import { type SelectedPage, selectPage } from '../../../model/lists/select-page.ts';
import type { Call, Scope } from '../call.ts';
import type { HistoryDeps } from '../find-record.ts';
import { type Link, link } from '../links.ts';
import { type ListQuery, readFlag, readListQuery } from './read-list-query.ts';

/** The fields by which any record is listed. */
interface Listed {
  readonly id: string;
  readonly tenant: string;
  readonly createdAt: string;
}

/** How one list is made. */
export interface ListDefinition<R extends Listed> {
  /** Its path below `/1/`; tokens of pages are good for one list. */
  readonly name: string;
  readonly columns: ListColumns<R>;
  /** Parameters of the query besides the common ones. Default none. */
  readonly parameters?: readonly string[];
  /** Whether records of any age can be read. Default false. */
  readonly isKeptForever?: boolean;
  /** Which records belong to the list, by its parameters. Default: all. */
  readonly matcherOf?: (parameters: ListParameters, time: string | undefined) => (record: R) => boolean;
  /** The order when the client names none. Default: newest first. */
  readonly orderOf?: (parameters: ListParameters) => ListOrder<R> | undefined;
  /** Present records, which can be read from the newest. */
  readonly table: Pick<Table<R, 'tenant'>, 'newestFirst'>;
  /** Records as they were. Default: the present ones. */
  readonly recordsAt?: (tenant: string | undefined, time: string) => Iterable<R>;
  readonly present: (record: R, parameters: ListParameters) => object;
}

/** A list as it is sent. */
export interface ListBody {
  readonly items: readonly object[];
  readonly links: readonly Link[];
  readonly 'at-time': string;
}

/** Returns one page of a list. Throws `bad-request`, `invalid-filter`, `invalid-page` and `at-time-too-old`. */
export async function listRecords<R extends Listed>(
  call: Call,
  list: ListDefinition<R>,
  { registry, clock, settings }: HistoryDeps,
): Promise<ListBody> {
  const query = readListQuery(call.query, list.name, list.parameters);
  const { parameters } = query;
  const retentionMs = list.isKeptForever === true ? undefined : settings.historyRetentionMs;
  const time = readAtTime(parameters['at-time'], { now: clock.now(), retentionMs });
  const page = await selectRecords(call.scope, list, { ...query, time });
  return {
    items: page.records.map(record => list.present(record, parameters)),
    links: linksOf(call, { list: list.name, query, last: page.last }),
    'at-time': time ?? registry.now(),
  };
}

interface TimedQuery extends ListQuery {
  readonly time: string | undefined;
}

function selectRecords<R extends Listed>(
  scope: Scope,
  list: ListDefinition<R>,
  query: TimedQuery,
): SelectedPage<R> | Promise<SelectedPage<R>> {
  const { parameters, after, limit, time } = query;
  const order = orderOf(list, parameters);
  const selection = { matches: matcherOf(list, query), order: order ?? newestFirst, after, limit };
  const isInOrder =
    order === undefined && time === undefined && (scope.tenants === 'all' || scope.tenants.length === 1);
  return new Pace().run(selectPage(recordsOf(scope, list, query, isInOrder), { ...selection, isInOrder }));
}

/** The records of a scope. Present ones of one tenant, or of all, are read from the newest on, beginning at the page. */
function* recordsOf<R extends Listed>(
  { tenants }: Scope,
  { table, recordsAt }: ListDefinition<R>,
  { time, after }: TimedQuery,
  isInOrder: boolean,
): Generator<R> {
  const createdAt = after?.values[0];
  const before = isInOrder && after !== undefined ? { before: { createdAt: String(createdAt), id: after.id } } : {};
  for (const tenant of tenants === 'all' ? [undefined] : tenants) {
    if (time !== undefined && recordsAt !== undefined) yield* recordsAt(tenant, time);
    else
      yield* table.newestFirst({
        ...(tenant !== undefined && { where: { index: 'tenant', value: tenant } }),
        ...before,
      });
  }
}

function orderOf<R extends Listed>({ columns, orderOf: own }: ListDefinition<R>, parameters: ListParameters) {
  const names = parameters['order-by'];
  const isDescending = readFlag('order-desc', parameters['order-desc'], true);
  if (names === undefined && !isDescending) return oldestFirst;
  return names === undefined ? own?.(parameters) : parseOrder(names, { columns, isDescending });
}

const oldestFirst: ListOrder<Listed> = {
  positionOf: record => newestFirst.positionOf(record),
  compare: (one, other) => -newestFirst.compare(one, other),
};

function matcherOf<R extends Listed>(
  { columns, matcherOf: own }: ListDefinition<R>,
  { parameters, time }: TimedQuery,
): (record: R) => boolean {
  const expression = parseFilter(parameters['filter'] ?? '', columns);
  const filter = expression === undefined ? undefined : compileFilter(expression, columns);
  const belongs = own?.(parameters, time);
  return record => (belongs === undefined || belongs(record)) && (filter === undefined || filter(record));
}

interface LinkParts {
  readonly list: string;
  readonly query: ListQuery;
  readonly last: SelectedPage<never>['last'];
}

function linksOf({ origin, url }: Call, { list, query, last }: LinkParts): Link[] {
  const { parameters, limit } = query;
  const path = origin + (url.split('?')[0] ?? '');
  const hrefWith = (more: Readonly<Record<string, string>>) =>
    `${path}?${new URLSearchParams({ ...more, limit: String(limit) }).toString()}`;
  const links = [link('self', origin + url), link('first', hrefWith(parameters))];
  if (last !== undefined) links.push(link('next', hrefWith({ page: formatPage({ list, parameters, after: last }) })));
  return links;
}
