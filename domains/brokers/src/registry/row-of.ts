import { formatMicroTime, type KubeObject, type ObjectMeta, parseTime } from '@chandlery/api';
import { brokersFinalizer, idOfName } from '../kinds/index.ts';
import type { Row } from './registry.ts';
import { settleJson } from './settle-json.ts';
import type { StringPool } from './string-pool.ts';

/** The row of any table. */
export type AnyRow = Row<{ spec: Readonly<Record<string, unknown>>; status?: Readonly<Record<string, unknown>> }>;

/** What others wrote into an object's metadata. It is written back as it is. */
type ForeignMetadata = Pick<ObjectMeta, 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'>;

/** Where a row keeps it; few have any. A key that spreading a row copies. */
const foreignMetadata = Symbol('foreign metadata');

type ReadRow = { -readonly [K in keyof AnyRow]: AnyRow[K] } & { [foreignMetadata]?: ForeignMetadata };

const emptyStatus = Object.freeze({});

/**
 * Reads a row from an object, whose spec and status it takes over and freezes. Everything else is dropped: type,
 * managed fields and whatever the row does not show.
 */
export function rowOf(object: KubeObject, pool: StringPool): AnyRow {
  const { metadata } = object;
  const spec = settleJson(object['spec'] ?? {}, pool) as AnyRow['spec'];
  const status = statusOf(object, pool);
  const createdAt = textOf(status['createdAt']) ?? microTimeOf(metadata.creationTimestamp);
  const row: ReadRow = {
    id: idOfName(metadata.name ?? ''),
    tenant: pool.share(metadata.namespace ?? ''),
    uid: metadata.uid ?? '',
    revision: Number(metadata.resourceVersion),
    generation: metadata.generation ?? 1,
    createdAt,
    updatedAt: textOf(status['updatedAt']) ?? createdAt,
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: metadata.finalizers?.includes(brokersFinalizer) ?? false,
    spec,
    status,
  };
  const foreign = foreignOf(metadata);
  if (foreign !== undefined) row[foreignMetadata] = foreign;
  return Object.freeze(row);
}

/** The foreign metadata of a row. */
export const foreignMetadataOf = (row: object): ForeignMetadata =>
  (row as Partial<Pick<ReadRow, typeof foreignMetadata>>)[foreignMetadata] ?? {};

function statusOf(object: KubeObject, pool: StringPool): AnyRow['status'] {
  const status = object['status'] as Record<string, unknown> | undefined;
  if (status === undefined) return emptyStatus;
  // Most rows never change: one text serves for both times.
  if (status['updatedAt'] !== undefined && status['updatedAt'] === status['createdAt'])
    status['updatedAt'] = status['createdAt'];
  return settleJson(status, pool) as AnyRow['status'];
}

function foreignOf({ labels, annotations, finalizers = [], ownerReferences }: ObjectMeta): ForeignMetadata | undefined {
  const others = finalizers.filter(finalizer => finalizer !== brokersFinalizer);
  const foreign: ForeignMetadata = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(others.length === 0 ? {} : { finalizers: others }),
  };
  return Object.keys(foreign).length === 0 ? undefined : foreign;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A time of whole seconds in the form in which rows have theirs. */
function microTimeOf(timestamp = ''): string {
  const time = parseTime(timestamp);
  return time === undefined ? formatMicroTime(new Date(0)) : formatMicroTime(time);
}
