import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { labelTerm } from './label-term.ts';
import { rowOf } from './row-of.ts';
import { StringPool } from './string-pool.ts';

const object = (more: object = {}): KubeObject => ({
  apiVersion: 'brokers.chandlery.io/v1alpha1',
  kind: 'Operation',
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

test('a row has what the domain needs of an object, and nothing else', () => {
  assert.deepEqual(rowOf(object(), pool), {
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
  const row = rowOf(object({ status }), pool);
  assert.deepEqual([row.createdAt, row.updatedAt], [status.createdAt, status.updatedAt]);
});

test('terms of labels cannot be mistaken for each other', () => {
  const terms = [
    labelTerm('a'),
    labelTerm('a', 'b'),
    labelTerm('a=b'),
    labelTerm('a%3Db'),
    labelTerm('a', ''),
    labelTerm('a='),
  ];
  assert.equal(new Set(terms).size, terms.length);
  assert.equal(labelTerm('a', 'b'), 'a=b');
});
