import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Store } from '../store.ts';
import { keyOf, type OpenStore, pathOf, pathsOf, put, rejectsWith, remove, textOf, write } from './helpers.ts';

const all = { cluster: 'main', resource: '/things' } as const;

const summary = ({ revision, type, key, previousRevision, value }: Change): unknown[] => [
  ...[revision, type, pathOf({ key }), Buffer.from(value.bytes).toString(), previousRevision],
];

/** Resolves at the next wake. */
function nextAdvance(store: Store): Promise<void> {
  return new Promise(resolve => {
    const stop = store.onAdvance(() => {
      stop();
      resolve();
    });
  });
}

/** Changes, compaction and past states. */
export function historyContract(open: OpenStore): void {
  test('changes contain everything that happened, in order', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { text: 'one' }), put('b', { text: 'two' }));
    await write(store, put('a', { text: 'three' }));
    await write(store, remove('a'), put('c', { text: 'four', in: { cluster: 'other' } }));
    await write(store, put('a', { text: 'five' }));
    const page = await store.changes({ after: 0, limit: 100 });
    assert.deepEqual(page.changes.map(summary), [
      [1, 'created', 'a', 'one', undefined],
      [2, 'created', 'b', 'two', undefined],
      [3, 'updated', 'a', 'three', 1],
      [4, 'deleted', 'a', 'last a', 3],
      [5, 'created', 'c', 'four', undefined],
      [6, 'created', 'a', 'five', undefined],
    ]);
    assert.deepEqual([page.upTo, page.more], [6, false]);
    assert.equal(page.changes[0] !== undefined && 'previousRevision' in page.changes[0], false);
  });

  test('changes come in pages that join without gaps', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, ...Array.from({ length: 25 }, (_, index) => put(`n/${index}`)));
    const revisions: number[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await store.changes({ after, limit: 10 });
      revisions.push(...page.changes.map(({ revision }) => revision));
      assert.ok(page.upTo >= (revisions.at(-1) ?? 0));
      after = page.upTo;
      more = page.more;
    }
    assert.deepEqual(
      revisions,
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    assert.deepEqual(await store.changes({ after: 25, limit: 10 }), { changes: [], upTo: 25, more: false });
    await rejectsWith(store.changes({ after: 26, limit: 10 }), 'FutureRevision');
  });

  test('changes of one collection, or of one resource in all clusters, skip the rest', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let time = 0; time < 5; time++) {
      await write(store, put('a'), put('b', { in: { cluster: 'other' } }), put('c', { in: { resource: 'x/y' } }));
    }
    const mine = await store.changes({ after: 0, limit: 100, collection: all });
    assert.deepEqual(
      mine.changes.map(({ revision }) => revision),
      [1, 4, 7, 10, 13],
    );
    assert.deepEqual([mine.upTo, mine.more], [15, false]);
    const first = await store.changes({ after: 1, limit: 2, collection: all });
    assert.deepEqual([first.changes.map(({ revision }) => revision), first.upTo, first.more], [[4, 7], 7, true]);
    const everywhere = await store.changes({ after: 3, limit: 3, collection: { resource: '/things' } });
    assert.deepEqual(
      everywhere.changes.map(({ revision, key }) => [revision, key.cluster]),
      [
        [4, 'main'],
        [5, 'other'],
        [7, 'main'],
      ],
    );
    assert.deepEqual([everywhere.upTo, everywhere.more], [7, true]);
    const nothing = await store.changes({ after: 3, limit: 3, collection: { resource: 'no/thing' } });
    assert.deepEqual(nothing, { changes: [], upTo: 15, more: false });
  });

  test('before a change there was the state that it replaced', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('n/a', { text: 'one' }));
    await write(store, put('n/a', { text: 'two' }));
    await write(store, remove('n/a'));
    await write(store, put('n/a', { text: 'again' }));
    const { changes } = await store.changes({ after: 0, limit: 10 });
    const befores = await Promise.all(changes.map(change => store.before(change)));
    assert.deepEqual(befores.map(textOf), [undefined, 'one', 'two', undefined]);
    assert.deepEqual(befores[2]?.key, keyOf('n/a'));
    assert.deepEqual([befores[2]?.revision, befores[2]?.createdRevision], [2, 1]);
    await store.compact(2);
    assert.deepEqual((await Promise.all(changes.slice(1).map(change => store.before(change)))).map(textOf), [
      undefined,
      'two',
      undefined,
    ]);
  });

  test('compaction forgets the past and keeps the present', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { text: 'a1' }), put('b', { text: 'b1' }), put('c', { text: 'c1' }));
    await write(store, put('a', { text: 'a2' }), remove('b'));
    await write(store, put('a', { text: 'a3' }), put('d', { text: 'd1' }));
    await store.compact(5);
    assert.equal(await store.compactedRevision(), 5);
    assert.equal(await store.currentRevision(), 7);
    await rejectsWith(store.changes({ after: 4, limit: 10 }), 'Compacted');
    await rejectsWith(store.list({ ...all, at: 4 }), 'Compacted');
    assert.deepEqual((await store.list({ ...all, at: 5 })).items.map(textOf), ['a2', 'c1']);
    assert.deepEqual((await store.list(all)).items.map(textOf), ['a3', 'c1', 'd1']);
    assert.deepEqual(
      (await store.changes({ after: 5, limit: 10 })).changes.map(({ revision }) => revision),
      [6, 7],
    );
    assert.equal(textOf(await store.get(keyOf('c'))), 'c1');
    await store.compact(3);
    assert.equal(await store.compactedRevision(), 5);
    await store.compact(7);
    assert.deepEqual((await store.list({ ...all, at: 7 })).items.map(textOf), ['a3', 'c1', 'd1']);
    await rejectsWith(store.compact(8), 'FutureRevision');
  });

  test('compacting step by step over many versions leaves every current value', async () => {
    await using opened = await open();
    const { store } = opened;
    for (let round = 0; round < 30; round++) {
      const writes = Array.from({ length: 100 }, (_, index) => put(`n/${index}`, { text: `${index} ${round}` }));
      await write(store, ...writes);
      if (round % 7 === 0) await store.compact((await store.currentRevision()) - 50);
    }
    await write(store, ...Array.from({ length: 50 }, (_, index) => remove(`n/${index}`)));
    const revision = await store.currentRevision();
    await store.compact(revision);
    const page = await store.list(all);
    assert.equal(page.items.length, 50);
    for (const item of page.items) assert.equal(textOf(item), `${item.key.name} 29`);
    assert.deepEqual((await store.changes({ after: revision, limit: 10 })).changes, []);
    await write(store, put('n/7', { text: 'new' }));
    assert.equal((await store.get(keyOf('n/7')))?.createdRevision, revision + 1);
  });

  test('purging a cluster removes it with its history, and nothing else', async () => {
    await using opened = await open();
    const { store } = opened;
    const gone = { cluster: 'gone' };
    await write(
      store,
      ...Array.from({ length: 7 }, (_, index) => put(`n/${index}`, { in: gone, terms: [5], unique: [`u${index}`] })),
    );
    await write(store, put('n/0', { in: gone }), put('x', { in: gone, expiresAt: 1 }), put('stays', { terms: [5] }));
    await write(store, remove('n/1', { type: 'present' }, gone), put('other', { in: { ...gone, resource: 'a/b' } }));
    const revision = await store.currentRevision();
    const removed: number[] = [];
    for (let count = -1; count !== 0; removed.push(count)) count = await store.purge('gone', 3);
    assert.deepEqual(removed, [3, 3, 2, 0]);
    assert.equal(await store.currentRevision(), revision);
    assert.deepEqual(await store.collections(), [{ cluster: 'main', resource: '/things' }]);
    assert.deepEqual(pathsOf(await store.list({ resource: '/things' })), ['stays']);
    assert.deepEqual((await Array.fromAsync(store.withTerm(5, 10))).map(pathOf), ['stays']);
    assert.deepEqual(await store.expired(Date.now(), 10), []);
    assert.deepEqual(
      (await store.changes({ after: 0, limit: 100 })).changes.map(({ key }) => pathOf({ key })),
      ['stays'],
    );
    assert.equal(await store.purge('gone', 3), 0);
    assert.equal(await store.purge('never was', 3), 0);
    await write(store, put('n/1', { in: gone, unique: ['u2'] }));
    assert.deepEqual(pathsOf(await store.list({ ...all, cluster: 'gone' })), ['n/1']);
    await store.compact(await store.currentRevision());
    assert.equal(textOf(await store.get(keyOf('stays'))), 'stays');
  });

  test('listeners are called after commits until they are removed', async () => {
    await using opened = await open();
    const { store } = opened;
    let keysFor = 0;
    const stop = store.onAdvance(() => void keysFor++);
    const [, revision] = await Promise.all([nextAdvance(store), write(store, put('a'))]);
    assert.equal(await store.currentRevision(), revision);
    assert.ok(keysFor > 0);
    stop();
    const before = keysFor;
    await Promise.all([nextAdvance(store), write(store, put('b'))]);
    assert.equal(keysFor, before);
  });

  test('a tailing reader misses nothing while many write', async () => {
    await using opened = await open();
    const { store } = opened;
    const total = 600;
    const seen: number[] = [];
    const tail = (async () => {
      for (let after = 0; after < total; ) {
        const advanced = nextAdvance(store);
        const page = await store.changes({ after, limit: 50 });
        seen.push(...page.changes.map(({ revision }) => revision));
        after = page.upTo;
        if (page.changes.length === 0) await advanced;
      }
    })();
    const writer = async (number: number): Promise<void> => {
      for (let index = 0; index < total / 20; index++) await write(store, put(`w${number}/${index}`));
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => writer(number)));
    await tail;
    assert.deepEqual(
      seen,
      Array.from({ length: total }, (_, index) => index + 1),
    );
  });
}
