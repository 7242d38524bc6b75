import type { KubeObject, ObjectState } from '@chandlery/api';
import { collectionPath, type KindAddress } from './kinds.ts';
import { requestJson } from './request.ts';

/** A list as the server prints it: every kind declares its own columns. */
export interface ServerTable {
  readonly metadata: {
    readonly resourceVersion?: string;
    /** How many objects the selection has, on all pages. */
    readonly totalItemCount?: number;
    /** How many of them are in which state, before the filter by state. */
    readonly stateCounts?: Readonly<Partial<Record<ObjectState, number>>>;
    /** Whether the server has not examined the whole collection: it is still reading it, or it is too large. */
    readonly isIncomplete?: boolean;
  };
  readonly columnDefinitions: readonly ColumnDefinition[];
  readonly rows: readonly TableRow[];
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** Above 0: shown when the user asks for all columns. */
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: KubeObject;
}

/** Which part of a collection a list shows, and how. */
export interface ListSelection {
  readonly namespace: string;
  readonly search: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly state: string;
  /** A column. Empty: by namespace and name. */
  readonly sortBy: string;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export const tableHeaders = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

/** A page of a collection, sorted and filtered by the server. */
export function readTable(
  cluster: string,
  kind: KindAddress,
  { namespace, isDescending, ...selection }: ListSelection,
  signal?: AbortSignal,
): Promise<ServerTable> {
  return requestJson<ServerTable>(collectionPath(cluster, kind, namespace), {
    headers: tableHeaders,
    query: { ...selection, descending: isDescending || undefined, includeObject: 'Object' },
    ...(signal && { signal }),
  });
}
