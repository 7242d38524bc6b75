import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { rowOf } from './row-of.ts';
import { StringPool } from './string-pool.ts';

const object = (more: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: {
    name: 'a~2fb',
    namespace: 'acme',
    uid: 'u',
    resourceVersion: '42',
    generation: 3,
    creationTimestamp: '2030-01-01T00:00:00Z',
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: { resourceId: 'r', labels: { key: ['value'] } },
  ...more,
});
const pool = new StringPool();
const format = { tables: {}, finalizer: 'example.com/held', idOfName: (name: string) => name.replace('~2f', '/') };

test('a row has these fields of an object, and no others', () => {
  assert.deepEqual(rowOf(object(), format, pool), {
    id: 'a/b',
    tenant: 'acme',
    uid: 'u',
    revision: 42,
    generation: 3,
    createdAt: '2030-01-01T00:00:00.000000Z',
    updatedAt: '2030-01-01T00:00:00.000000Z',
    isDeleting: false,
    hasFinalizer: false,
    spec: { resourceId: 'r', labels: { key: ['value'] } },
    status: {},
  });
});

test('the times of the status count before those of the object', () => {
  const status = { createdAt: '2029-01-01T00:00:00.000001Z', updatedAt: '2029-01-01T00:00:00.000002Z' };
  const row = rowOf(object({ status }), format, pool);
  assert.deepEqual([row.createdAt, row.updatedAt], [status.createdAt, status.updatedAt]);
});

test('an object without a namespace is a row of no tenant', () => {
  const { metadata } = object();
  const { namespace: _, ...clusterScoped } = metadata;
  assert.equal(rowOf(object({ metadata: clusterScoped }), format, pool).tenant, '');
});
