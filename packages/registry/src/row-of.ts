import { formatMicroTime, type KubeObject, type ObjectMeta, parseTime, traceparentOf } from '@chandlery/api';
import type { AnyRow } from './row.ts';
import { idOf, type RowFormat } from './row-format.ts';
import type { StringPool } from './string-pool.ts';

/** Metadata that other writers own. It is written back unchanged. */
type ForeignMetadata = Pick<ObjectMeta, 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'>;

/** The key of a row's foreign metadata, which few rows have. Spreading a row copies it. */
const foreignMetadata = Symbol('foreign metadata');

type ReadRow = { -readonly [K in keyof AnyRow]: AnyRow[K] } & { [foreignMetadata]?: ForeignMetadata };

const emptyStatus = Object.freeze({});

/**
 * Reads a row from an object, whose spec and status it takes over and freezes. Everything else is dropped: type,
 * managed fields and whatever the row does not show.
 */
export function rowOf(object: KubeObject, format: RowFormat, pool: StringPool): AnyRow {
  const { metadata } = object;
  const spec = settleJson(object['spec'] ?? {}, pool) as AnyRow['spec'];
  const status = statusOf(object, pool);
  const createdAt = textOf(status['createdAt']) ?? microTimeOf(metadata.creationTimestamp);
  const row: ReadRow = {
    id: idOf(format, metadata.name ?? ''),
    tenant: pool.share(metadata.namespace ?? ''),
    uid: metadata.uid ?? '',
    revision: Number(metadata.resourceVersion),
    generation: metadata.generation ?? 1,
    createdAt,
    updatedAt: textOf(status['updatedAt']) ?? createdAt,
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: metadata.finalizers?.includes(format.finalizer) ?? false,
    spec,
    status,
  };
  const foreign = foreignOf(metadata, format);
  if (foreign !== undefined) row[foreignMetadata] = foreign;
  return Object.freeze(row);
}

/** Returns the foreign metadata of a row. */
export const foreignMetadataOf = (row: object): ForeignMetadata =>
  (row as Partial<Pick<ReadRow, typeof foreignMetadata>>)[foreignMetadata] ?? {};

/** The `traceparent` that links a row to the write that made or changed it; undefined when that was not traced. */
export const traceparentOfRow = (row: object | undefined): string | undefined =>
  row && traceparentOf({ metadata: foreignMetadataOf(row) });

function statusOf(object: KubeObject, pool: StringPool): AnyRow['status'] {
  const status = object['status'] as Record<string, unknown> | undefined;
  if (status === undefined) return emptyStatus;
  // Most rows never change: both times share one string.
  if (status['updatedAt'] !== undefined && status['updatedAt'] === status['createdAt'])
    status['updatedAt'] = status['createdAt'];
  return settleJson(status, pool) as AnyRow['status'];
}

function foreignOf(metadata: ObjectMeta, format: Pick<RowFormat, 'finalizer'>): ForeignMetadata | undefined {
  const { labels, annotations, finalizers = [], ownerReferences } = metadata;
  const others = finalizers.filter(finalizer => finalizer !== format.finalizer);
  const foreign: ForeignMetadata = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(others.length === 0 ? {} : { finalizers: others }),
  };
  return Object.keys(foreign).length === 0 ? undefined : foreign;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Formats a time of whole seconds as rows have theirs. */
function microTimeOf(timestamp = ''): string {
  const time = parseTime(timestamp);
  return time === undefined ? formatMicroTime(new Date(0)) : formatMicroTime(time);
}

/** Freezes a JSON value deeply, and interns the values of the pool's fields. Changes the value in place. */
function settleJson(value: unknown, pool: StringPool): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) settleJson(item, pool);
    return Object.freeze(value);
  }
  const object = value as Record<string, unknown>;
  for (const field of Object.keys(object)) {
    const part = object[field];
    if (typeof part === 'string') {
      if (pool.hasField(field)) object[field] = pool.share(part);
    } else settleJson(part, pool);
  }
  return Object.freeze(object);
}
