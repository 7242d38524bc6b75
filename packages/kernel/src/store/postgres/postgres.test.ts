import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { eventually, type Postgres, startPostgres } from '@chandlery/testing';
import pg from 'pg';
import { keyOf, type OpenedStore, put, rejectsWith, remove, textOf, write } from '../contract/helpers.ts';
import type { Store } from '../store.ts';
import { describeStoreContract } from '../store-contract.ts';
import type { PostgresStoreOptions } from './postgres-options.ts';
import { openPostgresStore } from './postgres-store.ts';
import { factsTable, migrations } from './schema.ts';

let postgres: Postgres;

before(async () => {
  // Crash safety is the server's business; without syncs the tests are quick.
  postgres = await startPostgres({ fsync: false });
});

after(() => postgres.stop());

const newSchema = (): string => `test_${randomUUID().replaceAll('-', '')}`;

async function open(options: Partial<PostgresStoreOptions> = {}): Promise<OpenedStore & { readonly schema: string }> {
  const schema = newSchema();
  const openAgain = (): Promise<Store> => openPostgresStore({ url: postgres.url, schema, ...options });
  let store = await openAgain();
  return {
    schema,
    get store() {
      return store;
    },
    async reopen() {
      await store[Symbol.asyncDispose]();
      store = await openAgain();
      return store;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Ends all connections of stores but not the test's own. */
async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chandlery'`);
  await client.end();
}

describeStoreContract('PostgreSQL', open);

test('several replicas may make the tables at once', async () => {
  const schema = newSchema();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url: postgres.url, schema })));
  await Promise.all(stores.map((store, index) => write(store, put(`n/${index}`))));
  assert.equal(await stores[0]?.currentRevision(), 4);
  await Promise.all(stores.map(store => store[Symbol.asyncDispose]()));
});

test('a database that an earlier version made is upgraded when it is opened', async () => {
  const schema = newSchema();
  const client = new pg.Client({ connectionString: postgres.url, options: `-c search_path=${schema}` });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; ${factsTable}; ${migrations[0]}`);
  await client.query(`INSERT INTO facts VALUES ('store.level', '1')`);
  await client.end();
  await using store = await openPostgresStore({ url: postgres.url, schema });
  // Objects that are made one by one have ids of another kind than those that are made at once.
  for (const [index, type] of (['any', 'absent', 'any', 'absent'] as const).entries()) {
    await write(store, put(`n/${index}`, { expect: { type }, terms: [7], unique: [`key ${index}`] }));
  }
  assert.equal((await Array.fromAsync(store.withTerm(7, 10))).length, 4);
  await write(store, ...[0, 1, 2, 3].map(index => remove(`n/${index}`)));
  await write(store, put('n/0', { unique: [0, 1, 2, 3].map(index => `key ${index}`) }));
  assert.deepEqual(await Array.fromAsync(store.withTerm(7, 10)), []);
});

test('nothing is left of a purged logical cluster that was copied to the kept versions meanwhile', async () => {
  await using opened = await open();
  const { store, schema } = opened;
  const kept = { at: 1, expiresAt: 2 };
  await write(store, put('a', { in: { cluster: 'gone' } }), put('a'));
  await write(store, remove('a', { type: 'present' }, { cluster: 'gone' }), put('a'));
  const client = new pg.Client({ connectionString: postgres.url, options: `-c search_path=${schema}` });
  await client.connect();
  const copies = async (): Promise<unknown[]> =>
    (await client.query('SELECT revision::integer FROM revisions ORDER BY revision')).rows.map(
      (row: { readonly revision: unknown }) => row.revision,
    );
  // As the purge ends, when the keeper of versions was between its look at history and its copy.
  await store.revisions.keep(
    [1, 2, 3].map(revision => ({ revision, ...kept })),
    10,
  );
  assert.deepEqual(await copies(), [1, 2, 3]);
  await client.query(`DELETE FROM collections WHERE cluster = 'gone'`);
  assert.deepEqual(await copies(), [2]);
  await assert.rejects(store.revisions.keep([{ revision: 3, ...kept }], 10));
  await store.purge('gone', 10);
  await store.revisions.keep([{ revision: 2, ...kept }], 10);
  assert.deepEqual(await copies(), [2]);
  await client.end();
});

test('a version that is copied while its logical cluster is purged goes with it', async () => {
  await using opened = await open();
  const { store, schema } = opened;
  const gone = { cluster: 'gone' };
  await write(store, put('n/a', { in: gone }));
  await write(store, put('n/a', { in: gone }));
  const client = new pg.Client({ connectionString: postgres.url, options: `-c search_path=${schema}` });
  await client.connect();
  // As `keep` does, which is interrupted here before it commits.
  await client.query('BEGIN');
  await client.query('INSERT INTO revisions SELECT *, 0, 0, 0 FROM log WHERE revision = 1');
  const purged = (async () => {
    while ((await store.purge('gone', 10)) > 0);
  })();
  const isPurged = async (): Promise<boolean> => (await client.query('SELECT 1 FROM log')).rows.length === 0;
  await eventually(isPurged, { what: 'the log to be purged' });
  await client.query('COMMIT');
  await purged;
  assert.deepEqual((await client.query('SELECT * FROM revisions')).rows, []);
  assert.deepEqual((await client.query('SELECT * FROM collections')).rows, []);
  await client.end();
});

test('two replicas see each other’s writes in order and without gaps', async () => {
  await using first = await open();
  await using second = await openPostgresStore({ url: postgres.url, schema: first.schema });
  const perWriter = 40;
  const total = 2 * 10 * perWriter;
  const tail = async (store: Store): Promise<number[]> => {
    const seen: number[] = [];
    for (let position = 0; position < total; ) {
      let stop = (): void => {};
      const advanced = new Promise<void>(resolve => {
        stop = store.onAdvance(() => resolve());
      });
      const page = await store.changes({ after: position, limit: 100 });
      seen.push(...page.changes.map(({ revision }) => revision));
      position = page.upTo;
      if (page.changes.length === 0) await advanced;
      stop();
    }
    return seen;
  };
  const writer = async (store: Store, name: string): Promise<void> => {
    for (let index = 0; index < perWriter; index++) await write(store, put(`${name}/${index}`));
  };
  const writers = Array.from({ length: 10 }, (_, number) => [
    writer(first.store, `a${number}`),
    writer(second, `b${number}`),
  ]);
  const [seenByFirst, seenBySecond] = await Promise.all([tail(first.store), tail(second), ...writers.flat()]);
  const expected = Array.from({ length: total }, (_, index) => index + 1);
  assert.deepEqual(seenByFirst, expected);
  assert.deepEqual(seenBySecond, expected);
});

test('of two replicas that create one object, one wins', async () => {
  await using first = await open();
  await using second = await openPostgresStore({ url: postgres.url, schema: first.schema });
  const create = (store: Store, index: number) =>
    store.commit({ writes: [put(`n/${index}`, { expect: { type: 'absent' } })] });
  for (let index = 0; index < 20; index++) {
    const results = await Promise.allSettled([create(first.store, index), create(second, index)]);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  }
});

test('a replica is woken by the writes of another', async () => {
  await using first = await open();
  await using second = await openPostgresStore({ url: postgres.url, schema: first.schema });
  const woken = new Promise<void>(resolve => void second.onAdvance(() => resolve()));
  await write(first.store, put('a'));
  await woken;
  assert.equal(await second.currentRevision(), 1);
});

test('a store recovers when its connections are ended', async () => {
  await using opened = await open();
  await using other = await openPostgresStore({ url: postgres.url, schema: opened.schema });
  await write(opened.store, put('a'));
  await Promise.all(Array.from({ length: 8 }, () => opened.store.list({ resource: '/things' })));
  await endConnections();
  assert.equal(textOf(await opened.store.get(keyOf('a'))), 'a');
  await eventually(() => write(opened.store, put('b')));
  // Notifications come through again as well.
  const woken = new Promise<void>(resolve => void other.onAdvance(() => resolve()));
  await eventually(() => write(opened.store, put('c')));
  await woken;
});

test('writes in progress while connections end either happened or report an unknown outcome', async () => {
  await using opened = await open();
  const { store } = opened;
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const writer = async (number: number): Promise<void> => {
    for (let index = 0; index < 60; index++) {
      const path = `w${number}/${index}`;
      try {
        await write(store, put(path));
        acknowledged.push(path);
      } catch (failure) {
        assert.match(String(failure), /the store is unavailable: .*127\.0\.0\.1:\d+/);
        unknown.push(path);
      }
    }
  };
  const writers = Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
  for (let time = 0; time < 3; time++) await endConnections();
  await writers;
  const page = await store.list({ resource: '/things' });
  const present = new Set(page.items.map(({ key }) => `${key.namespace}/${key.name}`));
  assert.deepEqual(
    acknowledged.filter(path => !present.has(path)),
    [],
  );
  assert.ok(present.size <= acknowledged.length + unknown.length);
});

test('a server that is down makes the store unavailable, and back up it works again', async () => {
  await using server = await startPostgres();
  const url = server.url.replace('chandlery@', 'chandlery:geheim@');
  await using store = await openPostgresStore({ url });
  await write(store, put('a'));
  await server.crash();
  for (const attempt of [() => store.get(keyOf('a')), () => write(store, put('b')), () => store.check()]) {
    await assert.rejects(attempt, (thrown: Error & { code?: string }) => {
      assert.equal(thrown.code, 'Unavailable');
      assert.match(thrown.message, new RegExp(`127\\.0\\.0\\.1:${server.port}`));
      assert.doesNotMatch(thrown.message, /geheim/);
      return true;
    });
  }
  await server.start();
  await eventually(() => store.check().then(() => true));
  assert.equal(textOf(await store.get(keyOf('a'))), 'a');
  await write(store, put('b'));
});

test('a server that hangs does not hang the store', async () => {
  await using server = await startPostgres({ fsync: false });
  await using store = await openPostgresStore({ url: server.url, timeoutMs: 1000 });
  await write(store, put('a'));
  await server.pause();
  const writing = write(store, put('b'));
  await Promise.all([rejectsWith(store.get(keyOf('a')), 'Unavailable'), assert.rejects(writing, /outcome is unknown/)]);
  await server.resume();
  await eventually(() => write(store, put('c')));
});

test('a commit that PostgreSQL cannot store does not take its group with it', async () => {
  await using opened = await open();
  const paths = ['n/a', 'n/with \0 inside', 'n/b'];
  for (const expect of [{ type: 'absent' }, { type: 'any' }] as const) {
    const results = await Promise.allSettled(paths.map(path => write(opened.store, put(path, { expect }))));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  }
  assert.equal(await opened.store.currentRevision(), 4);
});

test('a server that cannot be reached is named when a store is opened', async () => {
  await rejectsWith(openPostgresStore({ url: 'postgres://nobody:geheim@127.0.0.1:1/none' }), 'Unavailable');
  await rejectsWith(openPostgresStore({ url: postgres.url, schema: 'Not"good' }), 'BadRequest');
});
