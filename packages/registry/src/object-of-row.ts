import type { CustomKind, KubeObject, ObjectMeta } from '@chandlery/api';
import type { AtomicWrite, ObjectRef } from '@chandlery/client';
import type { AnyRow } from './row.ts';
import { definitionOf, nameOf, type RowFormat } from './row-format.ts';
import { foreignMetadataOf } from './row-of.ts';
import type { AnyRowWrite } from './row-writes.ts';

type Identity = Pick<AnyRow, 'tenant' | 'id'>;

/** Returns the reference of a row's object. */
export function refOfRow(format: RowFormat, table: string, { tenant, id }: Identity): ObjectRef {
  const { ref, isNamespaced } = definitionOf(format, table).kind;
  const name = nameOf(format, id);
  return isNamespaced ? { ...ref, namespace: tenant, name } : { ...ref, name };
}

/** Returns what a write to a table writes to the store. */
export function atomicWriteOf(format: RowFormat, write: AnyRowWrite, now: () => string): AtomicWrite {
  if (write.type === 'create')
    return { type: 'create', ref: refOfRow(format, write.table, write), object: newObject(format, write, now()) };
  const { table, row } = write;
  const ref = refOfRow(format, table, row);
  const resourceVersion = String(row.revision);
  switch (write.type) {
    case 'update':
      return { type: 'replace', ref, resourceVersion, object: nextObject(format, write, now()) };
    case 'remove':
      return { type: 'remove', ref, resourceVersion };
    case 'check':
      return { type: 'check', ref, expect: { resourceVersion } };
  }
}

function newObject(format: RowFormat, write: AnyRowWrite & { type: 'create' }, now: string): KubeObject {
  const { kind, isHeld = false, labels } = definitionOf(format, write.table);
  const metadata = newMetadata(format, kind, write);
  label(metadata, labels?.({ spec: write.spec, status: write.status ?? {} }));
  if (isHeld) metadata.finalizers = [format.finalizer];
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata,
    spec: write.spec,
    status: { ...write.status, createdAt: now, updatedAt: now },
  };
}

function nextObject(format: RowFormat, write: AnyRowWrite & { type: 'update' }, now: string): KubeObject {
  const { row, spec, status } = write;
  const { kind, isHeld = false, labels } = definitionOf(format, write.table);
  const { finalizers: others = [], ...foreign } = foreignMetadataOf(row);
  // Objects that kubectl created get the finalizer with their first update. An object that is being deleted must not get it.
  const hasFinalizer = row.hasFinalizer || (isHeld && !row.isDeleting);
  const metadata = Object.assign(newMetadata(format, kind, row), foreign);
  metadata.uid = row.uid;
  label(metadata, labels?.({ spec: spec ?? row.spec, status: status ?? row.status }));
  metadata.finalizers = hasFinalizer ? [...others, format.finalizer] : others;
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata,
    spec: spec ?? row.spec,
    status: { ...(status ?? row.status), createdAt: row.createdAt, updatedAt: now },
  };
}

function newMetadata(format: RowFormat, { isNamespaced }: CustomKind, { tenant, id }: Identity): ObjectMeta {
  const name = nameOf(format, id);
  return isNamespaced ? { name, namespace: tenant } : { name };
}

/** Adds and removes labels; those of other writers stay. */
function label(metadata: ObjectMeta, own: Readonly<Record<string, string | undefined>> = {}): void {
  const labels = { ...metadata.labels };
  for (const [key, value] of Object.entries(own)) {
    if (value === undefined) delete labels[key];
    else labels[key] = value;
  }
  if (Object.keys(labels).length > 0) metadata.labels = labels;
  else delete metadata.labels;
}
