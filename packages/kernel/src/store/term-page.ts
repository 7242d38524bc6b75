import { toObject, type VersionRow } from './rows.ts';
import type { StoredObject } from './store.ts';

/** Objects with a term are read in pages of about this size, or of so many. */
export const termPageBytes = 1024 * 1024;
export const termPageRows = 1000;

/** A page of objects, and the id of its last one when there may be more. */
export interface TermPage {
  readonly items: readonly StoredObject[];
  readonly next: number | undefined;
}

/** Reads `limit` rows, or as many as a page has room for. Rows are sorted by the id of their object. */
export function termPage(rows: Iterable<VersionRow>, limit: number): TermPage {
  const items: StoredObject[] = [];
  let bytes = 0;
  for (const row of rows) {
    items.push(toObject(row));
    bytes += row.value?.length ?? 0;
    if (bytes >= termPageBytes || items.length === limit) return { items, next: row.object_id };
  }
  return { items, next: undefined };
}

/** The objects of pages. `read`: the page after an id, of at most so many objects. */
export async function* pagesOfTerm(
  limit: number,
  first: number,
  read: (after: number, limit: number) => TermPage | Promise<TermPage>,
): AsyncGenerator<StoredObject> {
  let after: number | undefined = first;
  for (let left = limit; left > 0 && after !== undefined; ) {
    const page: TermPage = await read(after, Math.min(left, termPageRows));
    yield* page.items;
    left -= page.items.length;
    after = page.next;
  }
}
