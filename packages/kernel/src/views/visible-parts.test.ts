import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reach } from '../access/reach.ts';
import { clusterScopedParts, namespacedParts, namespaceParts, narrowParts } from './visible-parts.ts';

const reach = (some: Partial<Reach> = {}): Reach => ({
  isEverywhere: false,
  namespaces: new Set(),
  names: new Map(),
  ...some,
});
const own = reach({ namespaces: new Set(['b', 'a']), names: new Map([['c', new Set(['z', 'y'])]]) });

describe('The visible parts of a collection', () => {
  it('are whole namespaces and single objects, in key order', () => {
    assert.deepEqual(namespacedParts(own, {}), [
      { namespace: 'a' },
      { namespace: 'b' },
      { namespace: 'c', names: ['y', 'z'] },
    ]);
  });

  it('are within the namespaces of a view', () => {
    const view = { namespaces: new Set(['a', 'x']) };
    assert.deepEqual(namespacedParts(own, view), [{ namespace: 'a' }]);
    assert.deepEqual(namespacedParts(reach({ isEverywhere: true }), view), [{ namespace: 'a' }, { namespace: 'x' }]);
  });

  it('are all for those who may all', () => {
    assert.equal(namespacedParts(reach({ isEverywhere: true }), {}), undefined);
    assert.equal(clusterScopedParts(reach({ isEverywhere: true }), {}), undefined);
  });

  it('of cluster-scoped objects are names, and a right in a namespace is none', () => {
    const named = reach({ namespaces: new Set(['a']), names: new Map([['', new Set(['q', 'p'])]]) });
    assert.deepEqual(clusterScopedParts(named, {}), [{ namespace: '', names: ['p', 'q'] }]);
    assert.deepEqual(clusterScopedParts(named, { names: new Set(['q', 'r']) }), [{ namespace: '', names: ['q'] }]);
    assert.deepEqual(clusterScopedParts(reach(), {}), []);
    assert.deepEqual(namespaceParts(named, { namespaces: new Set(['a', 'b']) }), [{ namespace: '', names: ['a'] }]);
  });

  it('are narrowed by what a request asks for', () => {
    const parts = [{ namespace: 'a' }, { namespace: 'c', names: ['y', 'z'] }];
    assert.deepEqual(narrowParts(parts, { namespace: 'c' }), [parts[1]]);
    assert.deepEqual(narrowParts(parts, { name: 'z' }), [
      { namespace: 'a', names: ['z'] },
      { namespace: 'c', names: ['z'] },
    ]);
    assert.deepEqual(narrowParts(parts, { namespace: 'c', name: 'x' }), []);
  });
});
