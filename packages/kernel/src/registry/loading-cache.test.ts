import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LoadingCache } from './loading-cache.ts';

/** A cache whose loads end when the test says so. */
function manualCache(limit?: number) {
  const loads: {
    key: string;
    stale: string | undefined;
    resolve: (value: string) => void;
    reject: (error: Error) => void;
  }[] = [];
  const cache = new LoadingCache<string>(
    (key, stale) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      loads.push({ key, stale, resolve, reject });
      return promise;
    },
    limit === undefined ? {} : { limit },
  );
  return { cache, loads };
}

describe('a loading cache', () => {
  test('loads once for all who ask', async () => {
    const { cache, loads } = manualCache();
    const both = Promise.all([cache.get('a'), cache.get('a')]);
    loads[0]?.resolve('1');
    assert.deepEqual(await both, ['1', '1']);
    assert.equal(await cache.get('a'), '1');
    assert.equal(loads.length, 1);
  });

  test('does not keep a load that was under way when its key was invalidated', async () => {
    const { cache, loads } = manualCache();
    const early = cache.get('a');
    cache.invalidate('a');
    const late = cache.get('a');
    loads[1]?.resolve('new');
    loads[0]?.resolve('old');
    assert.equal(await early, 'old');
    assert.equal(await late, 'new');
    assert.equal(await cache.get('a'), 'new');
  });

  test('gives a load the stale value that it replaces', async () => {
    const { cache, loads } = manualCache();
    const first = cache.get('a');
    loads[0]?.resolve('1');
    await first;
    cache.invalidate('a');
    void cache.get('a');
    assert.deepEqual(
      loads.map(({ stale }) => stale),
      [undefined, '1'],
    );
  });

  test('tries again after a failure', async () => {
    const { cache, loads } = manualCache();
    const first = cache.get('a');
    loads[0]?.reject(new Error('no'));
    await assert.rejects(first, /no/);
    const second = cache.get('a');
    loads[1]?.resolve('yes');
    assert.equal(await second, 'yes');
  });

  test('forgets the least recently used first', async () => {
    const loads: string[] = [];
    const cache = new LoadingCache<string>(async key => (loads.push(key), key), { limit: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key);
    assert.deepEqual(loads, ['a', 'b', 'c', 'b']);
  });

  test('drops obsolete entries, and all entries on clear', async () => {
    const loads: string[] = [];
    const cache = new LoadingCache<string>(async key => (loads.push(key), key));
    for (const key of ['a', 'b']) await cache.get(key);
    cache.deleteWhere(key => key === 'a');
    for (const key of ['a', 'b']) await cache.get(key);
    cache.clear();
    for (const key of ['a', 'b']) await cache.get(key);
    assert.deepEqual(loads, ['a', 'b', 'a', 'a', 'b']);
  });
});
