import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameIndex } from './name-index.ts';
import { PushBatchCache } from './push-batch-cache.ts';
import { SharedResponse } from './response.ts';
import { Substream } from './substream.ts';

const index = new NameIndex<Substream>();
const dirty = new Set(['a']);
const response = new SharedResponse({
  mode: 'sotw',
  type: 'endpoints',
  version: '1',
  resources: new Map(),
  removed: [],
});

function subscriber(...names: string[]): Substream {
  const substream = new Substream<unknown>(undefined, 'endpoints');
  substream.names = index.change(substream, undefined, { add: new Set(names) });
  substream.dirty = dirty;
  return substream;
}

const cache = new PushBatchCache();
cache.add(subscriber('a', 'b'), { mode: 'sotw', generation: 7, response });

const changes: readonly { readonly why: string; readonly change: (substream: Substream) => void }[] = [
  { why: 'other names have changed', change: substream => (substream.dirty = new Set(['b'])) },
  { why: 'it was sent something before', change: substream => (substream.lastSent = new Map()) },
  { why: 'it has requested names', change: substream => (substream.forced = new Set(['a'])) },
  { why: 'it has brought something', change: substream => (substream.clientVersions = new Map()) },
  { why: 'it has subscribed to other names', change: substream => (substream.names = subscriber('a').names) },
];

test('streams with the same subscription and state get the same response', () => {
  assert.equal(cache.find(subscriber('a', 'b'), 'sotw', 7), response);
});

test('a response is not reused after another change, or in the other protocol', () => {
  assert.equal(cache.find(subscriber('a', 'b'), 'sotw', 8), undefined);
  assert.equal(cache.find(subscriber('a', 'b'), 'delta', 7), undefined);
});

for (const { why, change } of changes) {
  test(`a stream gets a response of its own when ${why}`, () => {
    const substream = subscriber('a', 'b');
    change(substream);
    assert.equal(cache.find(substream, 'sotw', 7), undefined);
  });
}
