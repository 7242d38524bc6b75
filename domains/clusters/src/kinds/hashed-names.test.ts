import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash8, shorten, tenantNamespace, uuid8 } from './hashed-names.ts';

describe('Names made of hashes', () => {
  it('are the UUIDs that others make of the same parts', () => {
    assert.equal(uuid8('example'), '23cc2129-a257-8644-95e0-289d55c69704');
    assert.equal(uuid8('default', 'example'), '2bcf790e-815e-8ea9-857b-15be429583a5');
    assert.equal(tenantNamespace('default', 'example'), 'mcp--2bcf790e-815e-8ea9-857b-15be429583a5');
  });

  it('are the short hashes that others make of the same parts', () => {
    assert.equal(hash8('example'), 'epgccknc');
    assert.equal(hash8('default', 'example'), 'fphxsdub');
  });

  it('cannot be made of nothing', () => {
    assert.throws(() => uuid8('', ''), { code: 'NothingToHash' });
    assert.throws(() => hash8(), { code: 'NothingToHash' });
  });

  it('are cut when they do not fit, without a dash before the hash', () => {
    assert.equal(shorten('short'), 'short');
    const long = `${'a'.repeat(52)}-${'b'.repeat(20)}`;
    assert.equal(shorten(long), `${'a'.repeat(52)}--${hash8(long)}`);
    assert.equal(shorten('x'.repeat(64)).length, 63);
  });
});
