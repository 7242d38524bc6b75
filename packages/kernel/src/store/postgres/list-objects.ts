import { type CollectionScope, isCountable, scopeWithin } from '../list-scope.ts';
import { maxRemaining, PageBuilder } from '../page-builder.ts';
import { toObject, type VersionRow } from '../rows.ts';
import type { ListQuery, Page, StoredObject } from '../store.ts';
import { assertReadable, type RevisionWindow } from '../store-errors.ts';
import type { Connection } from './database.ts';
import { count, walk } from './list-statements.ts';
import * as statements from './read-statements.ts';

/** Above this many matches, sorting them costs more than walking in key order. */
const maxSorted = 4000;
const rowsPerQuery = 512;
const collectionsPerQuery = 64;

/** Collections that are read together; only the first can begin in the middle, so that one goes alone. */
interface Stretch {
  readonly clusters: ReadonlyMap<number, string>;
  readonly scope: CollectionScope;
}

interface WalkRow extends Omit<VersionRow, 'cluster' | 'resource'> {
  readonly collection_id: number;
}

/** Reads one page. The connection shows one state of the database for the whole time. */
export async function listObjects(connection: Connection, query: ListQuery): Promise<Page> {
  const [window] = (await connection.run<RevisionWindow>(statements.window)) as [RevisionWindow];
  const at = query.at ?? window.revision;
  assertReadable(at, window);
  const page = new PageBuilder(query);
  await fillPage(connection, query, at, page);
  const { items, more } = page;
  const remaining = more && isCountable(query) ? await countRemaining(connection, query, at, items.at(-1)) : undefined;
  return { items, revision: at, more, ...(remaining === undefined ? {} : { remaining }) };
}

async function fillPage(connection: Connection, query: ListQuery, at: number, page: PageBuilder): Promise<void> {
  const groups = query.terms ?? [];
  const indexed = await mostSelective(connection, groups);
  const isOneNamespace = query.namespace !== undefined;
  const statement = walk({ isOneNamespace, groups: groups.length, indexed });
  const maxSize = query.filter === undefined ? Math.min((query.limit ?? rowsPerQuery) + 1, rowsPerQuery) : rowsPerQuery;
  const run = ({ clusters, scope: { after } }: Stretch, size: number): Promise<WalkRow[]> =>
    connection.run(statement, [[...clusters.keys()], after.namespace, after.name, at, size, ...groups]);
  for (let stretches = await planStretches(connection, query); ; ) {
    const [stretch, ...later] = stretches;
    if (stretch === undefined) return;
    const size = page.batchSize(maxSize);
    const rows = await run(stretch, size);
    for (const row of rows) {
      if (!page.takesAnother()) return;
      page.offer(toStored(query.resource, stretch.clusters, row));
    }
    const last = rows.at(-1);
    stretches = last === undefined || rows.length < size ? later : [...restOf(stretch, last, query), ...later];
  }
}

/** The group with the fewest objects, if its index entries are worth using. */
async function mostSelective(
  connection: Connection,
  groups: readonly (readonly number[])[],
): Promise<number | undefined> {
  let best: number | undefined;
  let fewest = maxSorted + 1;
  for (const [index, group] of groups.entries()) {
    const [row] = await connection.run<{ count: number }>(statements.termCount, [group, fewest]);
    const found = row?.count ?? 0;
    if (found >= fewest) continue;
    best = index;
    fewest = found;
  }
  return best;
}

async function planStretches(connection: Connection, query: ListQuery): Promise<Stretch[]> {
  const { cluster, resource, after } = query;
  const collections = await (cluster === undefined
    ? connection.run<{ id: number; cluster: string }>(statements.collectionsOfResource, [
        resource,
        after?.cluster ?? '',
      ])
    : connection.run<{ id: number; cluster: string }>(statements.collection, [resource, cluster]));
  return inStretches(new Map(collections.map(({ id, cluster: name }) => [id, name])), query);
}

function inStretches(clusters: ReadonlyMap<number, string>, query: ListQuery): Stretch[] {
  const stretches: { clusters: Map<number, string>; scope: CollectionScope }[] = [];
  for (const [id, cluster] of clusters) {
    const scope = scopeWithin(cluster, query);
    if (scope === undefined) continue;
    const open = stretches.at(-1);
    const fits = open !== undefined && open.clusters.size < collectionsPerQuery && isSameScope(open.scope, scope);
    if (fits) open.clusters.set(id, cluster);
    else stretches.push({ clusters: new Map([[id, cluster]]), scope });
  }
  return stretches;
}

const isSameScope = (a: CollectionScope, b: CollectionScope): boolean =>
  a.after.namespace === b.after.namespace && a.after.name === b.after.name;

/** What follows a row within its stretch: the rest of its collection, then the collections after it. */
function restOf({ clusters }: Stretch, last: WalkRow, query: ListQuery): Stretch[] {
  const ids = [...clusters.keys()];
  const remaining = ids.slice(ids.indexOf(last.collection_id)).map(id => [id, clusters.get(id) ?? ''] as const);
  const { namespace, name } = last;
  const after = { cluster: clusters.get(last.collection_id) ?? '', namespace, name };
  return inStretches(new Map(remaining), { ...query, after });
}

const toStored = (resource: string, clusters: ReadonlyMap<number, string>, row: WalkRow): StoredObject =>
  toObject({ ...row, resource, cluster: clusters.get(row.collection_id) ?? '' });

async function countRemaining(
  connection: Connection,
  query: ListQuery,
  at: number,
  last: StoredObject | undefined,
): Promise<number | undefined> {
  const rest = last === undefined ? query : { ...query, after: last.key };
  let remaining = 0;
  for (const { clusters, scope } of await planStretches(connection, rest)) {
    const { namespace, name } = scope.after;
    const values = [[...clusters.keys()], namespace, name, at, maxRemaining + 1];
    const [row] = await connection.run<{ now: number; difference: number }>(
      count(query.namespace !== undefined),
      values,
    );
    remaining += (row?.now ?? 0) + (row?.difference ?? 0);
    if ((row?.now ?? 0) > maxRemaining || remaining > maxRemaining) return undefined;
  }
  return remaining;
}
