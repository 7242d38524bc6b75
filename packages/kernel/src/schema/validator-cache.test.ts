import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@chandlery/api';
import { ValidatorCache } from './validator-cache.ts';

const schema = (maxLength: number): StructuralSchema => ({
  type: 'object',
  properties: { a: { type: 'string', maxLength } },
});

describe('The validator cache', () => {
  it('gives schemas that say the same one validator, whatever the order of their keys', () => {
    const cache = new ValidatorCache();
    const reordered = { properties: { a: { maxLength: 1, type: 'string' as const } }, type: 'object' as const };
    assert.equal(cache.get(schema(1)), cache.get(reordered));
    assert.equal(cache.size, 1);
  });

  it('keeps different schemas apart', () => {
    const cache = new ValidatorCache();
    assert.notEqual(cache.get(schema(1)).hash, cache.get(schema(2)).hash);
    assert.equal(cache.get(schema(1)).validate({ a: 'xy' }).length, 1);
    assert.equal(cache.get(schema(2)).validate({ a: 'xy' }).length, 0);
  });

  it('forgets what has not been asked for the longest', () => {
    const cache = new ValidatorCache({ maxSchemas: 2 });
    const first = cache.get(schema(1));
    const second = cache.get(schema(2));
    cache.get(schema(1));
    cache.get(schema(3));
    assert.equal(cache.size, 2);
    assert.equal(cache.get(schema(1)), first);
    assert.notEqual(cache.get(schema(2)), second);
  });
});
