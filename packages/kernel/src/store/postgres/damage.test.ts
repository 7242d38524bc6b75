import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Postgres, startPostgres } from '@chandlery/testing';
import pg from 'pg';
import { keyOf, put, rejectsWith, remove, textOf, write } from '../contract/helpers.ts';
import type { Commit } from '../store.ts';
import { verifyStore } from '../verify-store.ts';
import { commitSteps } from './commit-steps.ts';
import { openPostgresStore } from './postgres-store.ts';
import { factsTable, migrations } from './schema.ts';

let postgres: Postgres;

before(async () => {
  postgres = await startPostgres({ fsync: false });
});

after(() => postgres.stop());

const newSchema = (): string => `test_${randomUUID().replaceAll('-', '')}`;

async function connect(schema: string) {
  const client = new pg.Client({ connectionString: postgres.url, options: `-c search_path=${schema}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const verify = (schema: string) => verifyStore({ type: 'postgres', url: postgres.url, schema });

/** Numbers that look random, and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

test('every flipped byte of a stored value is found, and is not served', async () => {
  const schema = newSchema();
  await using store = await openPostgresStore({ url: postgres.url, schema });
  await using client = await connect(schema);
  const objects = 20;
  for (let no = 0; no < objects; no++)
    await write(store, put(`n/${no}`, { text: `value ${no} ${'x'.repeat(no * 40)}` }));
  assert.deepEqual(await verify(schema), []);
  const random = seeded(7);
  for (let trial = 0; trial < 200; trial++) {
    const no = random(objects);
    const { rows } = await client.query('SELECT revision, value FROM log WHERE name = $1', [String(no)]);
    const { revision, value } = rows[0] as { revision: string; value: Buffer };
    const flipped = Buffer.from(value);
    const place = random(value.length);
    flipped[place] = (flipped[place] ?? 0) ^ (1 + random(255));
    const set = (bytes: Buffer) => client.query('UPDATE log SET value = $1 WHERE revision = $2', [bytes, revision]);
    await set(flipped);
    const name = `main|/things|n|${no}`;
    assert.deepEqual(
      (await verify(schema)).map(({ object }) => object),
      [name],
      `trial ${trial}`,
    );
    await rejectsWith(store.get(keyOf(`n/${no}`)), 'StoreDamaged', { name });
    await rejectsWith(store.list({ resource: '/things' }), 'StoreDamaged', { name });
    assert.equal(textOf(await store.get(keyOf(`n/${(no + 1) % objects}`)))?.startsWith('value'), true);
    await set(value);
  }
  assert.ok(store.damage.length > 0);
  assert.deepEqual(await verify(schema), []);
});

test('a change of any column and of derived rows is found', async () => {
  const schema = newSchema();
  await using store = await openPostgresStore({ url: postgres.url, schema });
  await using client = await connect(schema);
  await write(store, put('n/a', { terms: [7, 8], unique: ['k"1', 'k2'], expiresAt: 5000 }), put('gone'));
  await write(store, put('n/a', { text: 'new', terms: [7], unique: ['k"1'], expiresAt: 6000 }), remove('gone'));
  await store.facts.putIfAbsent('colour', 'blue');
  assert.deepEqual(await verify(schema), []);
  for (const change of [
    'UPDATE log SET splice = splice + 1 WHERE revision = 3',
    `UPDATE log SET name = 'b' WHERE revision = 3`,
    'UPDATE log SET created_revision = 2 WHERE revision = 3',
    'UPDATE log SET previous_revision = 2 WHERE revision = 3',
    'UPDATE log SET type = 0 WHERE revision = 3',
    `UPDATE log SET terms = '{9}' WHERE revision = 3`,
    'DELETE FROM log WHERE revision = 3',
    `UPDATE objects SET terms = '{9}'`,
    `UPDATE objects SET unique_keys = '{other}'`,
    'UPDATE objects SET expires_at = 7000',
    'UPDATE objects SET created_revision = 2',
    `UPDATE objects SET name = 'b'`,
    'DELETE FROM objects',
    'DELETE FROM terms',
    'INSERT INTO terms VALUES (99, 1)',
    'DELETE FROM unique_keys',
    `UPDATE unique_keys SET text = 'other'`,
    `UPDATE facts SET value = 'red' WHERE name = 'colour'`,
    `UPDATE meta SET value = 2 WHERE name = 'revision'`,
    `UPDATE collections SET cluster = 'other'`,
  ]) {
    await client.query(`CREATE SCHEMA ${schema}_kept`);
    for (const table of ['log', 'objects', 'terms', 'unique_keys', 'facts', 'meta', 'collections'])
      await client.query(`CREATE TABLE ${schema}_kept.${table} AS TABLE ${schema}.${table}`);
    await client.query(change);
    assert.notEqual((await verify(schema)).length, 0, change);
    for (const table of ['log', 'objects', 'terms', 'unique_keys', 'facts', 'meta', 'collections']) {
      await client.query(`TRUNCATE ${schema}.${table} CASCADE`);
      await client.query(
        `INSERT INTO ${schema}.${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${schema}_kept.${table}`,
      );
    }
    await client.query(`DROP SCHEMA ${schema}_kept CASCADE`);
    assert.deepEqual(await verify(schema), [], `after ${change}`);
  }
});

test('rows of an earlier version, and of replicas that still run it, get checksums', async () => {
  const schema = newSchema();
  await using client = await connect(schema);
  const [first, second] = migrations;
  await client.query(`CREATE SCHEMA ${schema}; ${factsTable}; ${first}; ${second}`);
  await client.query(`INSERT INTO facts VALUES ('store.level', '2')`);
  const commitAsBefore = (...commits: Commit[]) => {
    const columns = commitSteps(commits).columns.slice(0, -2);
    const places = Array.from({ length: columns.length + 1 }, (_, index) => `$${index + 1}`).join(', ');
    return client.query(`SELECT * FROM chandlery_commit(${places})`, [schema, ...columns]);
  };
  await commitAsBefore({ writes: [put('n/a', { terms: [7], unique: ['k'], expiresAt: 5 }), put('gone')] });
  await commitAsBefore({ writes: [remove('gone')] });
  for (const round of [1, 2]) {
    await using store = await openPostgresStore({ url: postgres.url, schema });
    await store.upgraded;
    const unchecked = `SELECT 1 FROM log WHERE checksum IS NULL UNION ALL SELECT 1 FROM objects WHERE checksum IS NULL`;
    assert.deepEqual((await client.query(unchecked)).rows, [], `round ${round}`);
    assert.equal(textOf(await store.get(keyOf('n/a'))), 'n/a');
    assert.deepEqual(await verify(schema), []);
    await write(store, put(`new/${round}`), put('n/a', { terms: [7], unique: ['k'] }));
    // A replica of the earlier version writes on, without checksums.
    await commitAsBefore({ writes: [put(`old/${round}`, { terms: [9] })] });
    assert.equal(textOf(await store.get(keyOf(`old/${round}`))), `old/${round}`);
  }
});
