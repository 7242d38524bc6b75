import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { AdvanceListener, Change, ChangesPage, Store } from '../store/store.ts';
import { create, put, revisionsOf, startFeed, withMethods } from './test-feed.ts';

const turn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve));

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** A feed that gets commits only from the test and from its own reads. */
async function startIdleFeed(count: number) {
  let advance: AdvanceListener = () => undefined;
  let reads = 0;
  let gate: Promise<void> | undefined;
  const read = async (store: Store, query: Parameters<Store['changes']>[0]): Promise<ChangesPage> => {
    reads++;
    const page = await store.changes(query);
    await gate;
    return page;
  };
  const world = await startFeed(store =>
    withMethods(store, {
      onAdvance: listener => {
        advance = listener;
        return () => undefined;
      },
      changes: query => read(store, query),
    }),
  );
  // The first read, which finds nothing, has ended.
  await turn();
  const seen: number[] = [];
  world.feed.listen({}, events => void seen.push(...revisionsOf(events)));
  for (let index = 0; index < count; index++) await world.write(create(`o${index}`));
  const { changes } = await world.store.changes({ after: 0, limit: 100 });
  reads = 0;
  return {
    feed: world.feed,
    seen,
    get reads() {
      return reads;
    },
    /** The changes of these revisions. */
    some: (first: number, last: number): readonly Change[] => changes.slice(first - 1, last),
    tell: (committed?: readonly Change[]) => advance(committed),
    /** Reads get what they have found only when the answer is called. */
    holdReads: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    write: world.write,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe('changes that the store hands over', () => {
  test('are delivered without being read', async () => {
    let reads = 0;
    await using world = await startFeed(store =>
      withMethods(store, { changes: query => (reads++, store.changes(query)) }),
    );
    const { feed, store, write } = world;
    await turn();
    const received: unknown[] = [];
    feed.listen({}, events => {
      received.push(...events.map(({ change }) => [change.revision, change.type, change.previousRevision]));
    });
    const before = reads;
    await write(create('a'), create('b'));
    const { key, value } = put('a');
    const update = { ...put('a'), expect: { type: 'revision', revision: 1 } } as const;
    await store.commit({ writes: [update] });
    await store.commit({ writes: [{ type: 'delete', key, value, expect: { type: 'revision', revision: 3 } }] });
    await feed.reached(4);
    assert.deepEqual(received, [
      [1, 'created', undefined],
      [2, 'created', undefined],
      [3, 'updated', 1],
      [4, 'deleted', 3],
    ]);
    assert.equal(reads, before);
  });

  test('are delivered after the committing callers have continued', async () => {
    await using world = await startFeed();
    const order: string[] = [];
    world.feed.listen({}, () => void order.push('listener'));
    const committing = world.write(create('a')).then(async revision => {
      for (let step = 0; step < 50; step++) await Promise.resolve();
      order.push('committer');
      return revision;
    });
    await world.feed.reached(await committing);
    assert.deepEqual(order, ['committer', 'listener']);
  });

  test('are opened like those that are read', async () => {
    await using world = await startFeed();
    const { codec, feed, write } = world;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'hunter2' } };
    const sealed = { ...create('s'), key: { ...create('s').key, resource: '/secrets' } };
    const objects: unknown[] = [];
    feed.listen({ resource: '/secrets' }, events => void objects.push(...events.map(({ object }) => object['data'])));
    await feed.reached(await write({ ...sealed, value: codec.encode(sealed.key, secret) }));
    assert.deepEqual(objects, [secret.data]);
  });

  test('are read with all that lies before them when something is missing in between', async () => {
    await using world = await startIdleFeed(5);
    world.tell(world.some(1, 1));
    world.tell(world.some(3, 4));
    await eventually(() => world.seen.length === 5);
    assert.deepEqual(world.seen, upTo(5));
    assert.equal(world.reads, 1);
  });

  test('are delivered once, however often they are handed over', async () => {
    await using world = await startIdleFeed(5);
    world.tell(world.some(1, 3));
    world.tell(world.some(2, 4));
    await turn();
    world.tell(world.some(1, 2));
    world.tell(world.some(4, 5));
    await world.feed.reached(5);
    assert.deepEqual(world.seen, upTo(5));
    assert.equal(world.reads, 0);
  });

  test('are delivered once when they are being read as well', async () => {
    await using world = await startIdleFeed(5);
    const release = world.holdReads();
    world.tell();
    await eventually(() => world.reads === 1);
    world.tell(world.some(1, 3));
    await turn();
    assert.deepEqual(world.seen, upTo(3));
    release();
    await world.feed.reached(5);
    assert.deepEqual(world.seen, upTo(5));
  });

  test('wait for a read that brings what is missing before them', async () => {
    await using world = await startIdleFeed(3);
    const release = world.holdReads();
    world.tell();
    await eventually(() => world.reads === 1);
    const { key, value } = create('late');
    const revision = await world.write(create('late'));
    world.tell([{ revision, type: 'created', key, value }]);
    await turn();
    assert.deepEqual(world.seen, []);
    release();
    await world.feed.reached(4);
    assert.deepEqual(world.seen, upTo(4));
    assert.equal(world.reads, 1);
  });

  test('are delivered once to a listener that waits for them during a delivery', async () => {
    await using world = await startIdleFeed(3);
    const waits: Promise<void>[] = [];
    world.feed.listen({}, () => void waits.push(world.feed.reached(3)));
    world.tell(world.some(1, 2));
    await eventually(() => world.seen.length === 3);
    await Promise.all(waits);
    assert.deepEqual(world.seen, upTo(3));
  });

  test('keep their order during many commits, some of which only a read can return', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    const live: number[] = [];
    feed.listen({}, events => void live.push(...revisionsOf(events)));
    const followed: number[] = [];
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; index < 40; index++) {
        const name = `${writer}-${index}`;
        await write((writer + index) % 7 === 0 ? put(name) : create(name), create(`${name}-more`));
      }
    });
    await eventually(() => feed.position > 50);
    await feed.follow({ resource: '/configmaps' }, 0, events => void followed.push(...revisionsOf(events)));
    await Promise.all(writers);
    await feed.reached(640);
    assert.deepEqual(live, upTo(640));
    assert.deepEqual(followed, upTo(640));
  });

  test('are no longer delivered when the feed is disposed of', async () => {
    const world = await startIdleFeed(1);
    world.tell(world.some(1, 1));
    await world[Symbol.asyncDispose]();
    await turn();
    assert.deepEqual(world.seen, []);
  });
});
