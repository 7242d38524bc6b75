import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameIndex } from './name-index.ts';
import { PushBatchCache } from './push-batch-cache.ts';
import { SharedResponse } from './response.ts';
import { TypeSubscription } from './type-subscription.ts';

const index = new NameIndex<TypeSubscription>();
const dirty = new Set(['a']);
const response = new SharedResponse({
  mode: 'sotw',
  type: 'endpoints',
  version: '1',
  resources: new Map(),
  removed: [],
});

function subscriber(...names: string[]): TypeSubscription {
  const subscription = new TypeSubscription<unknown>(undefined, 'endpoints');
  subscription.names = index.change(subscription, undefined, { add: new Set(names) });
  subscription.dirty = dirty;
  return subscription;
}

const cache = new PushBatchCache();
cache.add(subscriber('a', 'b'), { mode: 'sotw', generation: 7, response });

const changes: readonly { readonly why: string; readonly change: (subscription: TypeSubscription) => void }[] = [
  { why: 'other names have changed', change: subscription => (subscription.dirty = new Set(['b'])) },
  { why: 'it was sent something before', change: subscription => (subscription.lastSent = new Map()) },
  { why: 'it has requested names', change: subscription => (subscription.forced = new Set(['a'])) },
  { why: 'it has brought something', change: subscription => (subscription.clientVersions = new Map()) },
  { why: 'it has subscribed to other names', change: subscription => (subscription.names = subscriber('a').names) },
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
    const subscription = subscriber('a', 'b');
    change(subscription);
    assert.equal(cache.find(subscription, 'sotw', 7), undefined);
  });
}
