import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot, SnapshotObject, Store } from '../store.ts';
import { keyOf, type OpenStore, pathsOf, put, rejectsWith, remove, textOf, write } from './helpers.ts';

const all = { cluster: 'main', resource: '/things' } as const;

/** A snapshot in memory, in a form that compares well. */
async function collect(snapshot: Snapshot): Promise<{ revision: number; objects: SnapshotObject[] }> {
  const objects: SnapshotObject[] = [];
  for await (const batch of snapshot.objects) objects.push(...batch);
  const plain = objects.map(object => ({
    ...object,
    value: { ...object.value, bytes: Uint8Array.from(object.value.bytes) },
  }));
  return { revision: snapshot.revision, objects: plain };
}

async function* inBatches(objects: readonly SnapshotObject[], size: number): AsyncGenerator<readonly SnapshotObject[]> {
  for (let start = 0; start < objects.length; start += size) yield objects.slice(start, start + size);
}

/** Fills a store with some of everything. */
async function fill(store: Store): Promise<void> {
  await write(store, put('n/a', { text: 'old' }), put('gone'), put('top', { in: { cluster: 'x' } }));
  await write(
    store,
    put('n/a', { text: 'new', terms: [7, 3], unique: ['k"1', 'k2'], expiresAt: 123_456 }),
    remove('gone'),
  );
  await write(store, put('b', { text: '', in: { cluster: 'a', resource: 'g/r' } }));
}

/** Facts, reopening, snapshots. */
export function keepingContract(open: OpenStore): void {
  test('facts are set once', async () => {
    await using opened = await open();
    const { facts } = opened.store;
    assert.equal(await facts.get('colour'), undefined);
    assert.equal(await facts.putIfAbsent('colour', 'blue'), 'blue');
    assert.equal(await facts.putIfAbsent('colour', 'red'), 'blue');
    const race = await Promise.all(['1', '2', '3', '4'].map(value => facts.putIfAbsent('race', value)));
    assert.equal(new Set(race).size, 1);
    assert.equal(await facts.get('race'), race[0]);
    assert.equal(await opened.store.currentRevision(), 0);
  });

  test('everything is there again after reopening', async () => {
    await using opened = await open();
    await fill(opened.store);
    await opened.store.facts.putIfAbsent('fact', 'true');
    await opened.store.compact(2);
    const store = await opened.reopen();
    assert.deepEqual([await store.currentRevision(), await store.compactedRevision()], [6, 2]);
    assert.equal(await store.facts.get('fact'), 'true');
    assert.equal(textOf(await store.get(keyOf('n/a'))), 'new');
    assert.equal((await Array.fromAsync(store.withTerm(7, 10))).length, 1);
    await rejectsWith(write(store, put('z', { unique: ['k2'] })), 'UniqueViolation');
    assert.equal((await store.changes({ after: 2, limit: 10 })).changes.length, 4);
    assert.equal(await write(store, put('z')), 7);
  });

  test('a snapshot holds every object with all that belongs to it', async () => {
    await using opened = await open();
    await fill(opened.store);
    const { revision, objects } = await collect(await opened.store.snapshot());
    assert.equal(revision, 6);
    assert.deepEqual(objects, [
      {
        key: { cluster: 'a', resource: 'g/r', namespace: '', name: 'b' },
        revision: 6,
        createdRevision: 6,
        value: { bytes: new Uint8Array(), splice: 0 },
        terms: [],
        unique: [],
      },
      {
        key: keyOf('n/a'),
        revision: 4,
        createdRevision: 1,
        value: { bytes: Uint8Array.from(Buffer.from('new')), splice: 3 },
        terms: [3, 7],
        unique: ['k"1', 'k2'],
        expiresAt: 123_456,
      },
      {
        key: keyOf('top', { cluster: 'x' }),
        revision: 3,
        createdRevision: 3,
        value: { bytes: Uint8Array.from(Buffer.from('top')), splice: 3 },
        terms: [],
        unique: [],
      },
    ]);
  });

  test('a snapshot shows one revision during writes', async () => {
    await using opened = await open();
    const { store } = opened;
    const names = Array.from({ length: 1300 }, (_, index) => `n/${String(index).padStart(4, '0')}`);
    await write(store, ...names.map(name => put(name, { text: 'before' })));
    const snapshot = await store.snapshot();
    await write(store, put('n/new'), remove('n/0000'), put('n/0001', { text: 'after' }));
    const collecting = collect(snapshot);
    await write(store, remove('n/1299'), put('n/1298', { text: 'after' }));
    const { revision, objects } = await collecting;
    assert.equal(revision, 1300);
    assert.deepEqual(
      objects.map(({ key }) => `n/${key.name}`),
      names,
    );
    assert.deepEqual(new Set(objects.map(textOf)), new Set(['before']));
  });

  test('a loaded snapshot is the store it was taken from, without its history', async () => {
    await using source = await open();
    await using target = await open();
    await fill(source.store);
    const { revision, objects } = await collect(await source.store.snapshot());
    const { store } = target;
    await store.load({ revision, objects: inBatches(objects, 2) });
    assert.deepEqual(await collect(await store.snapshot()), { revision, objects });
    assert.deepEqual([await store.currentRevision(), await store.compactedRevision()], [6, 6]);
    assert.deepEqual(pathsOf(await store.list({ ...all, terms: [[7]] })), ['n/a']);
    assert.equal((await store.expired(Date.now(), 10)).length, 1);
    await rejectsWith(store.changes({ after: 5, limit: 10 }), 'Compacted');
    await rejectsWith(write(store, put('z', { unique: ['k2'] })), 'UniqueViolation');
    assert.equal(await write(store, put('n/a', { text: 'newer', expect: { type: 'revision', revision: 4 } })), 7);
    assert.equal(await write(store, put('n/z'), put('fresh', { in: { resource: 'new/kind' } })), 9);
    const { changes } = await store.changes({ after: 6, limit: 10 });
    assert.deepEqual(
      changes.map(({ type, previousRevision }) => [type, previousRevision]),
      [
        ['updated', 4],
        ['created', undefined],
        ['created', undefined],
      ],
    );
    await rejectsWith(store.load({ revision, objects: inBatches(objects, 2) }), 'NotEmpty');
    assert.equal(textOf(await store.get(keyOf('n/a'))), 'newer');
  });

  test('a snapshot that fails leaves nothing, and the store continues', async () => {
    await using opened = await open();
    const { store } = opened;
    async function* broken(): AsyncGenerator<readonly SnapshotObject[]> {
      yield [{ ...put('a'), revision: 5, createdRevision: 5, unique: [] }];
      throw new Error('the file is cut off');
    }
    await assert.rejects(store.load({ revision: 9, objects: broken() }), /cut off/);
    assert.equal(await store.currentRevision(), 0);
    assert.equal(await store.get(keyOf('a')), undefined);
    assert.equal(await write(store, put('b')), 1);
  });
}
