import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import { SealedCodec } from '../codec/sealed-codec.ts';
import { encodeValue, orderedMetadata } from '../codec/stored-value.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { FeedListener } from '../feed/scoped-listeners.ts';
import type { ObjectKey, StoredObject } from '../store/store.ts';
import { testCipher } from '../test-kernel.ts';
import { CollectionIndex, type SortRequest } from './collection-index.ts';

const count = 30_000;
const cluster = 'c';
const resource = 'example.org/boats';

const keyOf = (number: number): ObjectKey => ({
  cluster,
  resource,
  namespace: `ns-${number % 3}`,
  name: `boat-${number}`,
});

function objectOf(number: number, size: number): KubeObject {
  const { namespace, name } = keyOf(number);
  const metadata = orderedMetadata({ name, namespace, creationTimestamp: '2026-11-01T00:00:00Z' });
  return { apiVersion: 'example.org/v1', kind: 'Boat', metadata, spec: { size } };
}

const sizeOf = (object: KubeObject): number => (object as { spec?: { size?: number } }).spec?.size ?? 0;
const stored = (number: number): StoredObject => ({
  key: keyOf(number),
  revision: 1,
  createdRevision: 1,
  value: encodeValue(objectOf(number, number % 100)),
});

/** A collection that can be read, and whose changes the test makes. */
async function openIndex(size = count) {
  let listener: FeedListener | undefined;
  const objects = Array.from({ length: size }, (_, number) => stored(number));
  const reads: (() => void)[] = [];
  const index = new CollectionIndex(
    {
      store: {
        list: async () => {
          reads.shift()?.();
          return { items: objects, revision: 1, more: false };
        },
      },
      feed: {
        follow: async (_scope, _revision, listen) => {
          listener = listen;
          return () => undefined;
        },
      },
      codec: new SealedCodec(testCipher, []),
    },
    { cluster, resource },
  );
  assert.ok(await index.load(async () => true));
  let revision = 1;
  const change = (number: number, size: number | undefined): void => {
    revision += 1;
    const type = size === undefined ? 'deleted' : 'updated';
    const event = { revision, change: { key: keyOf(number), type }, object: objectOf(number, size ?? 0) };
    void listener?.([event as unknown as FeedEvent]);
  };
  return { index, change, reads, listen: (event: FeedEvent) => listener?.([event]) };
}

const bySize: SortRequest = { sort: { type: 'column', id: 'size' }, isDescending: false, read: sizeOf };
const byName: SortRequest = { sort: { type: 'name' }, isDescending: true, namespace: 'ns-1' };

it('an order that is made while objects change has each of them once, at its place', async () => {
  const { index, change } = await openIndex();
  const sizes = new Map(Array.from({ length: count }, (_, number) => [number, number % 100]));
  const orders = Promise.all([index.sorted(bySize), index.sorted(byName)]);
  let isMade = false;
  void orders.then(() => {
    isMade = true;
  });
  for (let round = 0; !isMade; round++) {
    for (let at = 0; at < 20; at++) {
      const number = (round * 7919 + at * 104_729) % count;
      const size = (round + at) % 5 === 0 ? undefined : (round * 31 + at) % 200;
      if (size === undefined) sizes.delete(number);
      else sizes.set(number, size);
      change(number, size);
    }
    await nextTurn();
  }
  const [sorted, named] = await orders;
  assert.equal(sorted.size, sizes.size);
  const found = [...sorted.from()].map(({ name }) => Number(name.slice('boat-'.length)));
  assert.equal(new Set(found).size, sizes.size);
  assert.deepEqual(
    found.map(number => sizes.get(number)),
    [...sizes.values()].sort((one, other) => one - other),
  );
  const inNamespace = [...sizes.keys()].filter(number => number % 3 === 1).sort((one, other) => other - one);
  assert.deepEqual(
    [...named.from()].map(({ name }) => name),
    inNamespace.map(number => `boat-${number}`),
  );
});

it('requests that ask for the same order at once get it when it is made', async () => {
  const { index } = await openIndex();
  for (const [request, size] of [
    [bySize, count],
    [byName, count / 3],
  ] as const) {
    const sizes = await Promise.all([1, 2, 3].map(async () => (await index.sorted(request)).size));
    assert.deepEqual(sizes, [size, size, size]);
  }
});

it('a column that could not be read is read for the next request', async () => {
  const { index, reads } = await openIndex(10);
  reads.push(() => {
    throw new Error('not now');
  });
  await assert.rejects(index.sorted(bySize), /not now/);
  const sorted = await index.sorted(bySize);
  assert.deepEqual(
    [...sorted.from()].map(({ ranks }) => ranks[0]),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

it('an index that could not take a change is not used any more', async () => {
  const { index, listen } = await openIndex(10);
  assert.equal(index.isStopped, false);
  const unreadable = {
    revision: 2,
    change: { key: keyOf(1), type: 'updated' },
    get object(): never {
      throw new Error('unknown key');
    },
  };
  assert.throws(() => listen(unreadable as unknown as FeedEvent), /unknown key/);
  assert.equal(index.isStopped, true);
});

it('orders count as memory, and take no more than the entries, however many are asked for', async () => {
  const { index } = await openIndex();
  const before = index.bytes;
  await index.sorted(byName);
  assert.ok(index.bytes > before);
  for (let column = 0; column < 60; column++)
    await index.sorted({ sort: { type: 'column', id: String(column) }, isDescending: false, read: () => undefined });
  assert.ok(index.bytes <= 2.2 * before, `${index.bytes} of ${before}`);
});
