import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from './object.ts';
import { compareByCreation } from './object-order.ts';

const pod = (name: string, creationTimestamp?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) },
});
const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '');

describe('compareByCreation', () => {
  it('sorts the oldest object first, and objects of the same second by name', () => {
    const pods = [pod('c', '2026-01-02T00:00:00Z'), pod('b', '2026-01-01T00:00:00Z'), pod('a', '2026-01-02T00:00:00Z')];
    assert.deepEqual(names(pods.sort(compareByCreation)), ['b', 'a', 'c']);
  });

  it('sorts an object without a creation time first', () => {
    assert.deepEqual(names([pod('a', '2026-01-01T00:00:00Z'), pod('b')].sort(compareByCreation)), ['b', 'a']);
  });

  it('compares equal keys as equal', () => {
    assert.equal(compareByCreation(pod('a', '2026-01-01T00:00:00Z'), pod('a', '2026-01-01T00:00:00Z')), 0);
  });
});
