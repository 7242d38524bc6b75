import type { KubeObject } from '@chandlery/api';
import type { AtomicWrite, ObjectRef } from '@chandlery/client';
import { brokerKinds, brokersFinalizer, nameOfId } from '../kinds/index.ts';
import type { RowWrite, TableName } from './registry.ts';
import { type AnyRow, foreignMetadataOf } from './row-of.ts';

/** What must not vanish by a plain delete: something else has to be ended with it. */
const heldTables: ReadonlySet<TableName> = new Set(['platforms', 'brokers', 'visibilities', 'instances', 'bindings']);

/** Where the object of a row is. */
export const refOfRow = (table: TableName, { tenant, id }: Pick<AnyRow, 'tenant' | 'id'>): ObjectRef => ({
  ...brokerKinds[table].ref,
  namespace: tenant,
  name: nameOfId(id),
});

/** The store's part of a write to a table. */
export function atomicWriteOf(write: RowWrite, now: () => string): AtomicWrite {
  if (write.type === 'create')
    return { type: 'create', ref: refOfRow(write.table, write), object: newObject(write, now()) };
  const { table, row } = write;
  const ref = refOfRow(table, row);
  const resourceVersion = String(row.revision);
  switch (write.type) {
    case 'update':
      return { type: 'replace', ref, resourceVersion, object: nextObject(write, now()) };
    case 'remove':
      return { type: 'remove', ref, resourceVersion };
    case 'check':
      return { type: 'check', ref, expect: { resourceVersion } };
  }
}

function newObject({ table, id, tenant, spec, status }: RowWrite & { type: 'create' }, now: string): KubeObject {
  const finalizers = heldTables.has(table) ? { finalizers: [brokersFinalizer] } : {};
  return {
    ...typeOf(table),
    metadata: { name: nameOfId(id), namespace: tenant, ...finalizers },
    spec,
    status: { ...status, createdAt: now, updatedAt: now },
  };
}

function nextObject({ table, row, spec, status }: RowWrite & { type: 'update' }, now: string): KubeObject {
  const { finalizers: others = [], ...foreign } = foreignMetadataOf(row);
  // Whatever kubectl made is held from the first update on. What is being deleted must not be held anew.
  const isHeld = row.hasFinalizer || (heldTables.has(table) && !row.isDeleting);
  return {
    ...typeOf(table),
    metadata: {
      name: nameOfId(row.id),
      namespace: row.tenant,
      uid: row.uid,
      ...foreign,
      finalizers: isHeld ? [...others, brokersFinalizer] : others,
    },
    spec: spec ?? row.spec,
    status: { ...(status ?? row.status), createdAt: row.createdAt, updatedAt: now },
  };
}

const typeOf = (table: TableName): Pick<KubeObject, 'apiVersion' | 'kind'> => {
  const { apiVersion, kind } = brokerKinds[table];
  return { apiVersion, kind };
};
