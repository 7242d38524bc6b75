import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startPostgres } from '@chandlery/testing';
import pg from 'pg';
import { keyOf, put, rejectsWith, textOf, write } from '../contract/helpers.ts';
import { openPostgresStore } from './postgres-store.ts';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('a store with several hosts uses the one that takes writes, and follows a failover', async () => {
  await using primary = await startPostgres({ fsync: false });
  await using standby = await primary.startStandby();
  // The standby comes first: it is passed over while it is read-only.
  const url = `postgres://chandlery@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres?target_session_attrs=read-write`;
  await using store = await openPostgresStore({ url, timeoutMs: 5000 });
  await using other = await openPostgresStore({ url, timeoutMs: 5000 });
  const last = await write(store, put('a'));
  await eventually(async () => {
    const rows = await query(standby.url, `SELECT value FROM chandlery.meta WHERE name = 'revision'`);
    return Number((rows[0] as { value: string }).value) === last;
  });

  await primary.crash();
  await assert.rejects(
    () => store.check(),
    (thrown: Error) => thrown.message.includes('it is read-only') && thrown.message.includes(String(primary.port)),
  );
  await query(standby.url, 'SELECT pg_promote()');
  await eventually(() => store.check().then(() => true));
  assert.equal(textOf(await store.get(keyOf('a'))), 'a');
  assert.equal(await write(store, put('b')), last + 1);
  // The other replica is notified by the new server.
  await eventually(async () => (await other.currentRevision()) === last + 1);
  const woken = new Promise<void>(resolve => void other.onAdvance(() => resolve()));
  await write(store, put('c'));
  await woken;
});

test('a server that begins to reject writes is left for one that takes them', async () => {
  await using first = await startPostgres({ fsync: false });
  await using second = await startPostgres({ fsync: false });
  const url = `postgres://chandlery@127.0.0.1:${first.port},127.0.0.1:${second.port}/postgres`;
  {
    await using prepared = await openPostgresStore({ url: second.url });
    await write(prepared, put('there'));
  }
  await using store = await openPostgresStore({ url });
  await write(store, put('here'));
  await query(first.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await query(first.url, 'SELECT pg_reload_conf()');
  await eventually(async () => {
    await write(store, put('b')).catch(() => undefined);
    return textOf(await store.get(keyOf('there'))) === 'there';
  });
  await write(store, put('c'));
  await store.check();
});

test('hosts that cannot be used are named with the reason for each', async () => {
  const opening = openPostgresStore({ url: 'postgres://u:geheim@127.0.0.1:1,127.0.0.1:2/none' });
  await rejectsWith(opening, 'Unavailable');
  await assert.rejects(opening, (thrown: Error) => {
    assert.match(thrown.message, /127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:2: .*ECONNREFUSED/);
    assert.doesNotMatch(thrown.message, /geheim/);
    return true;
  });
});
