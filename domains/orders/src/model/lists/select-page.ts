import type { Steps } from '@chandlery/platform';
import type { ListOrder, ListPosition } from './list-order.ts';

/** One page of a list. */
export interface SelectedPage<R> {
  readonly records: readonly R[];
  /** The position of the last record when more follow. */
  readonly last: ListPosition | undefined;
}

/** What a page is selected by. */
export interface PageSelection<R> {
  readonly matches: (record: R) => boolean;
  readonly order: ListOrder<R>;
  readonly after: ListPosition | undefined;
  readonly limit: number;
  /** The records come in this order: nothing after the page is read. Default false. */
  readonly isInOrder?: boolean;
}

/** Records tested between two steps. */
const stepLength = 512;

/**
 * Selects the first records after a position from records in any order. Keeps no more than a page of them, so a page
 * costs one look at each record and never a sort of all.
 */
export function* selectPage<R>(records: Iterable<R>, selection: PageSelection<R>): Steps<SelectedPage<R>> {
  const { matches, order, after, limit, isInOrder = false } = selection;
  const kept: { readonly record: R; readonly position: ListPosition }[] = [];
  let seen = 0;
  for (const record of records) {
    if (++seen % stepLength === 0) yield;
    if (!matches(record)) continue;
    const position = order.positionOf(record);
    if (after !== undefined && order.compare(position, after) <= 0) continue;
    const last = kept[kept.length - 1];
    if (kept.length > limit && last !== undefined && order.compare(position, last.position) >= 0) continue;
    const at = kept.findLastIndex(each => order.compare(each.position, position) < 0) + 1;
    kept.splice(at, 0, { record, position });
    if (kept.length > limit + 1) kept.pop();
    if (isInOrder && kept.length > limit) break;
  }
  const page = kept.slice(0, limit);
  return { records: page.map(({ record }) => record), last: kept.length > limit ? page.at(-1)?.position : undefined };
}
