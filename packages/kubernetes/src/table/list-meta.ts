import type { ObjectState } from '@chandlery/api';

/** What a list says about itself. */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** Of a browsed list: how many objects it has on all pages. */
  readonly totalItemCount?: number;
  /** Of a browsed list: how many objects are in which state, before its filter by state. */
  readonly stateCounts?: Readonly<Partial<Record<ObjectState, number>>>;
  /** Of audit records: where older ones begin. */
  readonly older?: string;
  /** Of audit records: the search ended early, at records of this time. */
  readonly searchedTo?: string;
  /** Of audit records: lines of the file that are none. */
  readonly damagedLines?: number;
  /** Of audit records: whose they are. */
  readonly replica?: string;
  /** Of a browsed list: only a part of the collection was examined. */
  readonly isIncomplete?: boolean;
}
