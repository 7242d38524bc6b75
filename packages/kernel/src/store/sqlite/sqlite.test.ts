import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { keyOf, put, rejectsWith, write } from '../contract/helpers.ts';
import { describeStoreContract } from '../store-contract.ts';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';

async function open(options: Partial<SqliteStoreOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-store-'));
  let store = await openSqliteStore({ folder, ...options });
  return {
    folder,
    get store(): SqliteStore {
      return store;
    },
    async reopen(): Promise<SqliteStore> {
      await store[Symbol.asyncDispose]();
      store = await openSqliteStore({ folder, ...options });
      return store;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describeStoreContract('SQLite', open);

test('only the owner can read the files of a SQLite store', async () => {
  await using opened = await open();
  await write(opened.store, put('a'));
  const files = await readdir(opened.folder);
  assert.ok(files.length >= 3, files.join());
  for (const file of files) assert.equal((await stat(join(opened.folder, file))).mode & 0o777, 0o600, file);
});

test('a full disk makes a SQLite store unavailable for writes until there is room', async () => {
  await using opened = await open({ maxPages: 100 });
  const { store } = opened;
  const text = 'x'.repeat(50_000);
  let written = 0;
  const fillUp = async (): Promise<void> => {
    for (;;) {
      await write(store, put(`n/${written}`, { text }));
      written++;
    }
  };
  await assert.rejects(fillUp, /the disk that holds the data folder is full/);
  const group = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) => write(store, put(`m/${index}`, { text, unique: [`m/${index}`] }))),
  );
  assert.ok(group.every(result => result.status === 'rejected' && isError(result.reason, 'Unavailable')));
  assert.equal(await store.currentRevision(), written);
  assert.equal((await store.list({ resource: '/things' })).items.length, written);
  // A few bytes may still find room, which says nothing about the next object.
  await write(store, put('n/tiny', { text: 'x' }));
  written++;
  await rejectsWith(store.check(), 'Unavailable');
  await store.limitPages(100_000);
  await store.check();
  // What was not written holds no key either.
  assert.equal(await write(store, put('n/after', { text, unique: ['m/0', 'm/4'] })), written + 1);
});

test('a SQLite store whose writer dies says so and works again', async () => {
  await using opened = await open();
  const { store } = opened;
  await write(store, put('a'));
  const lost = write(store, put('b', { expect: { type: 'absent' } }));
  const received: unknown[] = [];
  const stop = store.onAdvance(committed => void received.push(committed));
  const crashing = store.crashWriter();
  await rejectsWith(lost, 'Unavailable');
  await crashing;
  // Its outcome is unknown: a caller that needs it has to read.
  assert.deepEqual(received, [undefined]);
  stop();
  await write(store, put('c'));
  await store.check();
  assert.ok(await store.get(keyOf('a')));
  assert.ok(await store.get(keyOf('c')));
});

test('a closed SQLite store takes no more commits', async () => {
  await using opened = await open();
  await write(opened.store, put('a'));
  await opened.store[Symbol.asyncDispose]();
  await rejectsWith(write(opened.store, put('b')), 'Unavailable');
});

test('the WAL of a SQLite store is checkpointed during commits, and restarts', async () => {
  await using opened = await open();
  const { store, folder } = opened;
  const text = 'x'.repeat(200_000);
  const megabytesOf = async (file: string): Promise<number> => (await stat(join(folder, file))).size / 1e6;
  let written = 0;
  let longest = 0;
  // Several times the threshold of a checkpoint.
  for (; written < 600; written++) {
    await write(store, put(`n/${written}`, { text }));
    longest = Math.max(longest, await megabytesOf('store.sqlite-wal'));
  }
  assert.ok(longest < 100, `the log has grown to ${longest} MB`);
  const inDatabase = await megabytesOf('store.sqlite');
  assert.ok(inDatabase > 40, `only ${inDatabase} MB were written back`);
  assert.equal((await store.list({ resource: '/things' })).items.length, written);
});
