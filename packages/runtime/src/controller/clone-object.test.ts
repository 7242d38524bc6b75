import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import fc from 'fast-check';
import { deepFreeze } from '../informer/deep-freeze.ts';
import { cloneObject } from './clone-object.ts';
import { boat } from './test-plane.ts';

it('A cloned object is the same, shares nothing, and may be changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), spec => {
      const object = deepFreeze({ ...boat('a'), spec });
      const copy = cloneObject(object);
      assert.deepEqual(copy, structuredClone(object));
      copy.metadata.labels = { changed: 'yes' };
      assert.equal(object.metadata.labels, undefined);
    }),
  );
});

it('A cloned object keeps a key that would change the prototype as the key it is', () => {
  const object = JSON.parse('{"spec":{"__proto__":{"sails":1}},"metadata":{}}') as KubeObject;
  const copy = cloneObject(deepFreeze(object));
  assert.equal(JSON.stringify(copy), JSON.stringify(object));
  assert.equal(Object.getPrototypeOf(copy['spec']), Object.prototype);
});
