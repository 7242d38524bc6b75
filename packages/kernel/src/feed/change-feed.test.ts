import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError, isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { FeedScope } from './scoped-listeners.ts';
import { put, revisionsOf, startFeed, withMethods } from './test-feed.ts';

describe('the change feed', () => {
  test('delivers to every listener the changes in its scope, in order', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    const scopes = {
      everything: {},
      resource: { resource: '/configmaps' },
      cluster: { cluster: 'c', resource: '/configmaps' },
      namespace: { cluster: 'c', resource: '/configmaps', namespace: 'n' },
      object: { cluster: 'c', resource: '/configmaps', namespace: 'n', name: 'a' },
    };
    const received = Object.fromEntries(Object.keys(scopes).map(name => [name, [] as string[]]));
    for (const [name, scope] of Object.entries(scopes)) {
      feed.listen(scope, events => {
        received[name]?.push(
          ...events.map(({ change: { key } }) => `${key.cluster}${key.resource}/${key.namespace}/${key.name}`),
        );
      });
    }
    const last = await write(
      put('a'),
      put('b'),
      put('a', { namespace: 'm' }),
      put('a', { cluster: 'd' }),
      put('a', { resource: '/secrets' }),
    );
    await feed.reached(last);
    assert.deepEqual(received, {
      everything: ['c/configmaps/n/a', 'c/configmaps/n/b', 'c/configmaps/m/a', 'd/configmaps/n/a', 'c/secrets/n/a'],
      resource: ['c/configmaps/n/a', 'c/configmaps/n/b', 'c/configmaps/m/a', 'd/configmaps/n/a'],
      cluster: ['c/configmaps/n/a', 'c/configmaps/n/b', 'c/configmaps/m/a'],
      namespace: ['c/configmaps/n/a', 'c/configmaps/n/b'],
      object: ['c/configmaps/n/a'],
    });
  });

  test('delivers nothing to removed listeners, and everything to others when one listener throws', async () => {
    await using world = await startFeed();
    const { feed, write, failures } = world;
    const received: string[] = [];
    const leave = feed.listen({}, () => void received.push('left'));
    feed.listen({ resource: '/configmaps' }, () => {
      throw new Error('bad listener');
    });
    feed.listen({ resource: '/configmaps' }, async () => Promise.reject(new Error('bad promise')));
    feed.listen({ resource: '/configmaps' }, () => void received.push('stayed'));
    leave();
    await feed.reached(await write(put('a')));
    assert.deepEqual(received, ['stayed']);
    await eventually(() => failures.length === 2);
  });

  test('keeps listeners whose scope contains or is contained in that of a removed one', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    const received: string[] = [];
    const listen = (name: string, scope: FeedScope): (() => void) => feed.listen(scope, () => void received.push(name));
    const cluster = { cluster: 'c', resource: '/configmaps' };
    const leaveCluster = listen('cluster', cluster);
    const leaveObject = listen('object', { ...cluster, namespace: 'n', name: 'a' });
    listen('namespace', { ...cluster, namespace: 'n' });
    leaveObject();
    leaveCluster();
    leaveCluster();
    listen('object again', { ...cluster, namespace: 'n', name: 'a' });
    await feed.reached(await write(put('a')));
    assert.deepEqual(received, ['namespace', 'object again']);
  });

  test('follows from any revision without gap or duplicate while others write', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    let isWriting = true;
    const writers = [1, 2, 3].map(async writer => {
      for (let index = 0; isWriting; index++) await write(put(`w${writer}-${index}`), put(`x${writer}-${index}`));
    });
    await eventually(() => feed.position > 100);
    const starts = [0, 1, 37, feed.position - 1, feed.position];
    const followers = starts.map(async start => {
      const seen: number[] = [];
      await feed.follow(
        { cluster: 'c', resource: '/configmaps' },
        start,
        events => void seen.push(...revisionsOf(events)),
      );
      return { start, seen };
    });
    const following = await Promise.all(followers);
    await eventually(() => feed.position > 400);
    isWriting = false;
    await Promise.all(writers);
    const last = await world.store.currentRevision();
    await feed.reached(last);
    for (const { start, seen } of following) {
      assert.deepEqual(
        seen,
        Array.from({ length: last - start }, (_, index) => start + 1 + index),
        `from ${start}`,
      );
    }
  });

  test('lets history wait for a slow follower', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    for (let page = 0; page < 3; page++)
      await write(...Array.from({ length: 900 }, (_, index) => put(`p${page}-${index}`)));
    await feed.reached(2700);
    let running = 0;
    await feed.follow({ cluster: 'c', resource: '/configmaps' }, 0, async () => {
      assert.equal(++running, 1);
      await new Promise(setImmediate);
      running--;
    });
  });

  test('does not follow from what is forgotten', async () => {
    await using world = await startFeed();
    const { feed, write, store } = world;
    await write(put('a'));
    const last = await write(put('a'));
    await feed.reached(last);
    await store.compact(last);
    await assert.rejects(
      feed.follow({ cluster: 'c', resource: '/configmaps' }, 0, () => undefined),
      error => isError(error, 'Compacted'),
    );
  });

  test('waits for a revision, with a time limit where one is given', async () => {
    await using world = await startFeed();
    const { feed, write } = world;
    assert.equal(await feed.reachedWithin(5, 1), false);
    const waiting = feed.reachedWithin(2, 10_000);
    await write(put('a'));
    await write(put('b'));
    assert.equal(await waiting, true);
  });

  test('recovers when the store does', async () => {
    let isBroken = true;
    await using world = await startFeed(store =>
      withMethods(store, {
        changes: query =>
          isBroken ? Promise.reject(new ChandleryError('Unavailable', 'broken')) : store.changes(query),
      }),
    );
    const { feed, write, failures } = world;
    const seen: number[] = [];
    feed.listen({}, events => void seen.push(...revisionsOf(events)));
    const last = await write(put('a'), put('b'));
    await eventually(() => failures.length > 0);
    isBroken = false;
    await feed.reached(last);
    assert.deepEqual(seen, [1, 2]);
  });

  test('continues from the present and reports a gap when history was compacted before it could be read', async () => {
    let isCutOff = true;
    await using world = await startFeed(store =>
      withMethods(store, {
        changes: query => (isCutOff ? Promise.reject(new ChandleryError('Compacted', 'gone')) : store.changes(query)),
      }),
    );
    const { feed, write } = world;
    let gaps = 0;
    feed.onGap(() => {
      gaps++;
      isCutOff = false;
    });
    const seen: number[] = [];
    feed.listen({}, events => void seen.push(...revisionsOf(events)));
    await feed.reached(await write(put('a')));
    await feed.reached(await write(put('b')));
    assert.equal(gaps, 1);
    assert.deepEqual(seen, [2]);
  });

  test('lets those who wait go when it is disposed of', async () => {
    const world = await startFeed();
    const waiting = world.feed.reached(1000);
    await world[Symbol.asyncDispose]();
    await waiting;
  });
});
