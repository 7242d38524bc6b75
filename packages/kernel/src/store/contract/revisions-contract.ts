import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptVersion, RevisionBounds, Store } from '../store.ts';
import { keyOf, type OpenStore, put, remove, textOf, write } from './helpers.ts';

const kept = (revision: number, more: Partial<KeptVersion> = {}): KeptVersion => ({
  revision,
  at: revision * 1000,
  expiresAt: 1_000_000 + revision,
  ...more,
});

const page = (store: Store, path: string, more: Partial<Parameters<Store['revisions']['page']>[0]> = {}) =>
  store.revisions.page({ key: keyOf(path), limit: 100, ...more });

async function revisionsOf(store: Store, path: string): Promise<number[]> {
  return (await page(store, path)).items.map(({ revision }) => revision);
}

const noBytesLimit = Number.MAX_SAFE_INTEGER;

const bounds = (nowMs: number, maxBytes: number, keptBytes = maxBytes): RevisionBounds => ({
  nowMs,
  maxBytes,
  keptBytes,
});

/** Versions that outlive the history of watches. */
export function revisionsContract(open: OpenStore): void {
  test('kept versions survive compaction and reopening, newest first', async () => {
    await using opened = await open();
    const { store } = opened;
    for (const text of ['one', 'two', 'three']) await write(store, put('n/a', { text, terms: [7] }));
    await write(store, remove('n/a'), put('n/b'));
    await store.revisions.keep([kept(1), kept(2), kept(3), kept(4)], 10);
    await store.compact(5);
    const reopened = await opened.reopen();
    const { items, more } = await page(reopened, 'n/a');
    assert.deepEqual(
      items.map(item => [item.revision, item.type, textOf(item), item.at, item.createdRevision]),
      [
        [4, 'deleted', 'last n/a', 4000, 1],
        [3, 'updated', 'three', 3000, 1],
        [2, 'updated', 'two', 2000, 1],
        [1, 'created', 'one', 1000, 1],
      ],
    );
    assert.equal(more, false);
    assert.deepEqual(items[0]?.key, keyOf('n/a'));
    assert.deepEqual(await revisionsOf(reopened, 'n/b'), []);
  });

  test('what is no longer in history is skipped, and what is kept stays as it was', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { text: 'one' }));
    await write(store, put('a', { text: 'two' }));
    await store.revisions.keep([kept(1, { at: 5 })], 10);
    await store.compact(2);
    await store.revisions.keep([kept(1, { at: 6 }), kept(2), kept(99)], 10);
    await store.revisions.keep([], 10);
    assert.deepEqual(
      (await page(store, 'a')).items.map(({ revision, at }) => [revision, at]),
      [
        [2, 2000],
        [1, 5],
      ],
    );
  });

  test('a page ends by number, by size, and begins by revision and time', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 6; round++) await write(store, put('a', { text: 'x'.repeat(100) }));
    await store.revisions.keep(
      [1, 2, 3, 4, 5].map(revision => kept(revision)),
      10,
    );
    const of = async (more: Partial<Parameters<Store['revisions']['page']>[0]>) => {
      const found = await page(store, 'a', more);
      return [found.items.map(({ revision }) => revision), found.more];
    };
    assert.deepEqual(await of({ limit: 2 }), [[5, 4], true]);
    assert.deepEqual(await of({ limit: 5 }), [[5, 4, 3, 2, 1], false]);
    assert.deepEqual(await of({ maxBytes: 250 }), [[5, 4, 3], true]);
    assert.deepEqual(await of({ upTo: 3, limit: 2 }), [[3, 2], true]);
    assert.deepEqual(await of({ atMs: 2999, limit: 1 }), [[2], true]);
    assert.deepEqual(await of({ atMs: 999 }), [[], false]);
  });

  test('each object keeps its last versions only', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 5; round++) await write(store, put('n/a'), put('n/b'));
    await store.revisions.keep(
      [1, 2, 3, 4, 5].map(revision => kept(revision)),
      2,
    );
    await store.revisions.keep(
      [6, 7].map(revision => kept(revision)),
      2,
    );
    assert.deepEqual(await revisionsOf(store, 'n/a'), [7, 5]);
    assert.deepEqual(await revisionsOf(store, 'n/b'), [6, 4]);
  });

  test('trimming removes what has expired, then what expires next beyond the bytes', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 8; round++) await write(store, put('a', { text: 'x'.repeat(100) }));
    await store.revisions.keep(
      [1, 2, 3, 4, 5, 6].map(revision => kept(revision)),
      10,
    );
    const { revisions } = store;
    assert.equal(await revisions.trim(bounds(1_000_002, noBytesLimit), 1), 1);
    assert.equal(await revisions.trim(bounds(1_000_002, noBytesLimit), 10), 1);
    assert.equal(await revisions.trim(bounds(1_000_002, noBytesLimit), 10), 0);
    assert.deepEqual(await revisionsOf(store, 'a'), [6, 5, 4, 3]);
    assert.equal(await revisions.trim(bounds(0, 250), 10), 2);
    assert.deepEqual(await revisionsOf(store, 'a'), [6, 5]);
    assert.equal(await revisions.trim(bounds(0, 200), 10), 0);
    assert.equal(textOf(await store.get(keyOf('a'))), 'x'.repeat(100));
  });

  test('what is too much is taken from the namespace that has most, in all its collections', async () => {
    await using opened = await open();
    const { store } = opened;
    const secrets = { resource: '/secrets' };
    await write(store, put('small/a', { text: 'x'.repeat(200) }));
    for (let round = 0; round < 2; round++) {
      await write(store, put('large/a', { text: 'x'.repeat(150) }));
      await write(store, put('large/b', { text: 'x'.repeat(150), in: secrets }));
    }
    await write(store, put('small/a'));
    await store.revisions.keep(
      [1, 2, 3, 4, 5].map(revision => kept(revision)),
      10,
    );
    const left = async () => [
      await revisionsOf(store, 'small/a'),
      await revisionsOf(store, 'large/a'),
      (await store.revisions.page({ key: keyOf('large/b', secrets), limit: 10 })).items.map(({ revision }) => revision),
    ];
    assert.equal(await store.revisions.trim(bounds(0, 500), 10), 2);
    assert.deepEqual(await left(), [[1], [4], [5]]);
    assert.equal(await store.revisions.trim(bounds(0, 350), 10), 1);
    assert.deepEqual(await left(), [[1], [], [5]]);
    assert.equal(await store.revisions.trim(bounds(0, 200), 10), 1);
    assert.deepEqual(await left(), [[], [], [5]]);
  });

  test('more than is too much is removed, in batches, and only when it is too much', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 10; round++)
      await write(store, put('large/a', { text: 'x'.repeat(100) }), put('small/a', { text: 'x'.repeat(50) }));
    const all = Array.from({ length: 20 }, (_, index) => kept(index + 1));
    await store.revisions.keep(all, 100);
    const { revisions } = store;
    assert.equal(await revisions.trim(bounds(0, 1500, 900), 4), 0, 'all take 1500');
    assert.equal(await revisions.trim(bounds(0, 1400, 900), 4), 4);
    assert.equal(await revisions.trim(bounds(0, 1400, 900), 4), 2);
    assert.equal(await revisions.trim(bounds(0, 1400, 900), 4), 0);
    assert.equal((await revisionsOf(store, 'large/a')).length + (await revisionsOf(store, 'small/a')).length, 14);
    assert.deepEqual(await revisionsOf(store, 'large/a'), [19, 17, 15, 13]);
    assert.equal((await revisionsOf(store, 'small/a')).length, 10);
  });

  test('who has many namespaces gives more than who has one', async () => {
    await using opened = await open();
    const { store } = opened;
    const many = { cluster: 'many' };
    await write(store, put('n/a', { text: 'x'.repeat(300) }));
    for (const namespace of ['1', '2', '3', '4'])
      await write(store, put(`${namespace}/a`, { text: 'x'.repeat(150), in: many }));
    await store.revisions.keep(
      [1, 2, 3, 4, 5].map(revision => kept(revision)),
      10,
    );
    assert.equal(await store.revisions.trim(bounds(0, 800), 10), 1);
    assert.equal(await store.revisions.trim(bounds(0, 700), 10), 1);
    assert.deepEqual(await revisionsOf(store, 'n/a'), [1]);
  });

  test('a page ends with the version that reaches its size, and says that there are older ones', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 6; round++) await write(store, put('a', { text: 'x'.repeat(100) }));
    await store.revisions.keep(
      [1, 2, 3, 4, 5, 6].map(revision => kept(revision)),
      10,
    );
    const page = async (maxBytes: number, limit = 10) => {
      const { items, more } = await store.revisions.page({ key: keyOf('a'), limit, maxBytes });
      return [items.map(({ revision }) => revision), more];
    };
    assert.deepEqual(await page(1), [[6], true]);
    assert.deepEqual(await page(200), [[6, 5], true]);
    assert.deepEqual(await page(201), [[6, 5, 4], true]);
    assert.deepEqual(await page(501), [[6, 5, 4, 3, 2, 1], false]);
    assert.deepEqual(await page(10_000, 2), [[6, 5], true]);
  });

  test('purging a logical cluster removes the kept versions of its objects, also of those that were deleted', async () => {
    await using opened = await open();
    const { store } = opened;
    const gone = { cluster: 'gone' };
    await write(store, put('n/a', { in: gone }), put('n/b', { in: gone }), put('n/a'));
    await write(store, put('n/a', { in: gone }), remove('n/b', { type: 'present' }, gone), put('n/a'));
    await store.revisions.keep(
      [1, 2, 3, 5].map(revision => kept(revision)),
      10,
    );
    while ((await store.purge('gone', 1)) > 0);
    await write(store, put('n/a', { in: gone }), put('n/b', { in: gone }));
    for (const path of ['n/a', 'n/b'])
      assert.deepEqual((await store.revisions.page({ key: keyOf(path, gone), limit: 10 })).items, []);
    assert.deepEqual(await revisionsOf(store, 'n/a'), [3]);
  });
}
