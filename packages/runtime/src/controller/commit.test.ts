import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSameJson, mergeDiff } from '@chandlery/api';
import fc from 'fast-check';
import { planCommit } from './commit.ts';
import { OwnWrites } from './own-writes.ts';
import { boat } from './test-plane.ts';

const stored = (resourceVersion: string, uid = 'u') => boat('a', { uid, resourceVersion });

describe('A commit', () => {
  it('is nothing when only what the server fills in differs', () => {
    const before = stored('1');
    assert.deepEqual(planCommit(before, { ...before, metadata: { ...before.metadata, labels: {} } }), {
      type: 'nothing',
    });
    assert.deepEqual(planCommit(before, { ...before, status: undefined }), { type: 'nothing' });
  });

  it('is a patch of what changed, bound to what was read', () => {
    const before = { ...stored('1'), spec: { sails: 1 } };
    const metadata = { ...before.metadata, finalizers: ['a/b'], annotations: { c: 'd' } };
    const plan = planCommit(before, { ...before, metadata, status: { sails: 1 } });
    assert.deepEqual(plan, {
      type: 'object',
      patch: { metadata: { finalizers: ['a/b'], annotations: { c: 'd' }, resourceVersion: '1', uid: 'u' } },
    });
  });

  it('is the status when nothing else changed', () => {
    assert.deepEqual(planCommit(stored('1'), { ...stored('1'), status: { sails: 1 } }), { type: 'status' });
  });
});

describe('A merge diff', () => {
  const json = fc.dictionary(
    fc.string(),
    fc.oneof(fc.integer(), fc.array(fc.integer()), fc.dictionary(fc.string(), fc.integer())),
  );

  it('turns one object into the other', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const patched = merge(before, mergeDiff(before, after) ?? {});
        assert.ok(isSameJson(patched, after));
      }),
    );
  });

  it('is none for the same object', () => {
    fc.assert(fc.property(json, value => mergeDiff(value, structuredClone(value)) === undefined));
  });
});

/** RFC 7386, word for word. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target);
  const fields = new Map<string, unknown>(isMap ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, merge(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}

describe('Own writes', () => {
  it('stand in for a cache that is behind, over several writes', () => {
    const writes = new OwnWrites();
    writes.add('a', stored('1'), stored('2'));
    writes.add('a', stored('2'), stored('3'));
    assert.equal(writes.latest('a', stored('1')).metadata.resourceVersion, '3');
    assert.equal(writes.latest('a', stored('2')).metadata.resourceVersion, '3');
    assert.equal(writes.latest('a', stored('4')).metadata.resourceVersion, '4');
    assert.equal(writes.latest('a', stored('1', 'other')).metadata.uid, 'other');
  });

  it('are ignored, writes of others are not', () => {
    const writes = new OwnWrites();
    writes.add('a', stored('1'), stored('2'));
    writes.add('a', stored('2'), stored('3'));
    assert.deepEqual(
      ['2', '3', '4'].map(version => writes.isOwnWrite('a', stored(version))),
      [true, true, false],
    );
  });
});
