import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCountingIds, nameSuffixAlphabet, randomIds } from './ids.ts';

test('random uuids are of version 4 and differ', () => {
  const uuids = new Set(Array.from({ length: 100 }, () => randomIds.uuid()));
  assert.equal(uuids.size, 100);
  for (const uuid of uuids) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('random name suffixes have five letters and, over time, use the whole alphabet', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 2000; i++) {
    const suffix = randomIds.nameSuffix();
    assert.match(suffix, /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    for (const char of suffix) seen.add(char);
  }
  assert.equal(seen.size, nameSuffixAlphabet.length);
});

test('counting ids are predictable and have the same shape', () => {
  const ids = createCountingIds();
  assert.equal(ids.uuid(), '00000000-0000-4000-8000-000000000001');
  assert.equal(ids.uuid(), '00000000-0000-4000-8000-000000000002');
  assert.equal(ids.nameSuffix(), 'bbbbc');
  const more = new Set(Array.from({ length: 1000 }, () => ids.nameSuffix()));
  assert.equal(more.size, 1000);
});
