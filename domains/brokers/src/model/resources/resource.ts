import type { JsonObject } from '@chandlery/api';
import type { Row } from '../rows.ts';

/** What a view needs of a row. Rows that are about to be committed have it too. */
export type Viewed<R extends Row<{ spec: unknown; status?: unknown }>> = Pick<
  R,
  'id' | 'createdAt' | 'updatedAt' | 'spec' | 'status'
>;

type AnyRow = Viewed<Row<{ spec: { labels?: Record<string, string[]> }; status?: { ready?: boolean } }>>;

/** What every resource shows: id, times, readiness, and labels where there are any. */
export function rowView({ id, createdAt, updatedAt, spec, status }: AnyRow): JsonObject {
  const { labels } = spec;
  const hasLabels = labels !== undefined && Object.keys(labels).length > 0;
  return {
    id,
    ready: status.ready ?? false,
    created_at: createdAt,
    updated_at: updatedAt,
    ...(hasLabels ? { labels } : {}),
  };
}

/** The fields that have a value. */
export const present = (fields: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
