import type { QueryField } from '../resource-handler.ts';

interface Common {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: { readonly ready?: boolean };
}

/** The fields that every resource can be asked for. */
export const commonFields = {
  id: { type: 'string', read: (row: Common) => row.id },
  created_at: { type: 'date', read: (row: Common) => row.createdAt },
  updated_at: { type: 'date', read: (row: Common) => row.updatedAt },
  ready: { type: 'boolean', read: (row: Common) => row.status.ready ?? false },
} as const satisfies Readonly<Record<string, QueryField<Common>>>;

/** A text field. */
export const textField = <R>(read: (row: R) => string | undefined, index?: string): QueryField<R> => ({
  type: 'string',
  read,
  ...(index === undefined ? {} : { index }),
});

/** A field of truth. */
export const flagField = <R>(read: (row: R) => boolean | undefined): QueryField<R> => ({ type: 'boolean', read });

/** A field of JSON, asked for as a whole or by a path. */
export const jsonField = <R>(read: (row: R) => object | undefined): QueryField<R> => ({ type: 'json', read });
