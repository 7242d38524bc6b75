import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byCreation } from './object-order.ts';

test('objects are ordered by creation, then by namespace and name', () => {
  const objects = [
    { creationTimestamp: '2026-01-02T00:00:00Z', namespace: 'a', name: 'a' },
    { creationTimestamp: '2026-01-01T00:00:00Z', namespace: 'b', name: 'a' },
    { creationTimestamp: '2026-01-01T00:00:00Z', namespace: 'a', name: 'b' },
    { creationTimestamp: '2026-01-01T00:00:00Z', namespace: 'a', name: 'a' },
  ].map(metadata => ({ metadata }));
  const sorted = objects.toSorted(byCreation).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  assert.deepEqual(sorted, ['a/a', 'a/b', 'b/a', 'a/a']);
});
