import { toChange, type VersionRow } from '../rows.ts';
import type { ChangesPage, ChangesQuery } from '../store.ts';
import { assertReadable } from '../store-errors.ts';
import * as statements from './read-statements.ts';
import type { Reader } from './reader.ts';

/** Reads one page of history. The reader shows one state of the database for the whole time. */
export function readChanges(reader: Reader, { after, limit, collection }: ChangesQuery): ChangesPage {
  const window = reader.window();
  assertReadable(after, window);
  const rows = changeRows(reader, after, limit + 1, collection);
  const more = rows.length > limit;
  const changes = rows.slice(0, limit).map(toChange);
  return { changes, upTo: more ? (changes.at(-1)?.revision ?? after) : window.revision, more };
}

function changeRows(
  reader: Reader,
  after: number,
  limit: number,
  collection: ChangesQuery['collection'],
): VersionRow[] {
  if (collection === undefined) return reader.all(statements.changesOfEverything, after, limit);
  const { resource, cluster } = collection;
  if (cluster === undefined) return reader.all(statements.changesOfResource, resource, after, limit);
  return reader.all(statements.changesOfCollection, resource, cluster, after, limit);
}
