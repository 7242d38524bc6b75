/** An object as a table holds it: frozen, shared, never changed in place. */
export interface Row<Object extends { spec: unknown; status?: unknown }> {
  readonly id: string;
  /** The namespace. Empty for cluster-scoped kinds. */
  readonly tenant: string;
  /** Empty for a row without an object of its own: see `mirror` of a table definition. */
  readonly uid: string;
  /** The resourceVersion as a number: rises with every change anywhere. */
  readonly revision: number;
  readonly generation: number;
  /** RFC 3339 with microseconds. Lists are ordered by it, then by id. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The object has a deletionTimestamp: it was deleted, and finalizers hold it. */
  readonly isDeleting: boolean;
  /** The object has the registry's finalizer. */
  readonly hasFinalizer: boolean;
  readonly spec: Readonly<Object['spec']>;
  readonly status: Readonly<NonNullable<Object['status']>>;
}

/** The row of any table. */
export type AnyRow = Row<{ spec: Readonly<Record<string, unknown>>; status?: Readonly<Record<string, unknown>> }>;
