import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta } from './object.ts';
import { validateObjectMeta } from './object-meta.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1', controller: true };
const fieldsOf = (meta: ObjectMeta, namespaced = true): (string | undefined)[] =>
  validateObjectMeta(meta, { namespaced }).map(cause => cause.field);

const metas: readonly { why: string; meta: ObjectMeta; fields: readonly string[] }[] = [
  {
    why: 'complete',
    meta: { labels: { 'a/b': 'c' }, annotations: { 'A.com/x': 'any thing' }, finalizers: ['a.b/c'] },
    fields: [],
  },
  { why: 'bad name', meta: { name: 'A' }, fields: ['metadata.name'] },
  { why: 'no name', meta: { name: '' }, fields: ['metadata.name'] },
  { why: 'bad prefix', meta: { generateName: 'Ab-' }, fields: ['metadata.generateName'] },
  { why: 'no namespace', meta: { namespace: '' }, fields: ['metadata.namespace'] },
  { why: 'bad label key', meta: { labels: { '!': 'a' } }, fields: ['metadata.labels'] },
  { why: 'bad label value', meta: { labels: { a: '!' } }, fields: ['metadata.labels'] },
  { why: 'large annotations', meta: { annotations: { a: 'é'.repeat(131_072) } }, fields: ['metadata.annotations'] },
  { why: 'bad finalizer', meta: { finalizers: ['a b'] }, fields: ['metadata.finalizers'] },
  {
    why: 'two ways to delete',
    meta: { finalizers: ['orphan', 'foregroundDeletion'] },
    fields: ['metadata.finalizers'],
  },
  {
    why: 'owner without uid',
    meta: { ownerReferences: [{ ...owner, uid: '' }] },
    fields: ['metadata.ownerReferences.uid'],
  },
  {
    why: 'two controllers',
    meta: { ownerReferences: [owner, { ...owner, name: 'b' }] },
    fields: ['metadata.ownerReferences'],
  },
];

describe('Object metadata', () => {
  for (const { why, meta, fields } of metas) {
    it(`is judged when ${why}`, () => {
      assert.deepEqual(fieldsOf({ name: 'x', namespace: 'default', ...meta }), fields);
    });
  }

  it('has no namespace on cluster-scoped kinds', () => {
    assert.deepEqual(fieldsOf({ name: 'x', namespace: 'y' }, false), ['metadata.namespace']);
    assert.deepEqual(fieldsOf({ name: 'x' }, false), []);
  });
});
