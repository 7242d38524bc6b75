import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { keyOf, put, remove, textOf, write } from '../contract/helpers.ts';
import { verifyStore } from '../verify-store.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** A database as the first version made it, with three objects, a deletion and an update. */
const firstVersion = `
PRAGMA journal_mode = WAL;
CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, compacted INTEGER NOT NULL, swept INTEGER NOT NULL);
INSERT INTO meta VALUES (1, 6, 0, 0);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES ('store.level', '1'), ('colour', 'blue');
CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, resource TEXT NOT NULL, cluster TEXT NOT NULL, UNIQUE (resource, cluster));
CREATE INDEX collections_cluster ON collections (cluster);
INSERT INTO collections VALUES (1, '/things', 'main'), (2, 'g/others', 'x');
CREATE TABLE objects (id INTEGER PRIMARY KEY, collection_id INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
  revision INTEGER NOT NULL, created_revision INTEGER NOT NULL, expires_at INTEGER, terms TEXT NOT NULL, unique_keys TEXT,
  UNIQUE (collection_id, namespace, name));
CREATE INDEX objects_expiry ON objects (expires_at) WHERE expires_at IS NOT NULL;
INSERT INTO objects VALUES (1, 1, 'n', 'a', 5, 1, 123456, '[3,7]', '["k1"]'), (3, 2, '', 'top', 3, 3, NULL, '[]', NULL),
  (4, 1, '', 'd', 6, 6, NULL, '[7]', NULL);
CREATE TABLE log (revision INTEGER PRIMARY KEY, object_id INTEGER NOT NULL, collection_id INTEGER NOT NULL, namespace TEXT NOT NULL,
  name TEXT NOT NULL, type INTEGER NOT NULL, created_revision INTEGER NOT NULL, previous_revision INTEGER, terms TEXT NOT NULL,
  splice INTEGER NOT NULL, value BLOB NOT NULL);
CREATE INDEX log_collection ON log (collection_id, revision, previous_revision);
INSERT INTO log VALUES (1, 1, 1, 'n', 'a', 0, 1, NULL, '[]', 3, CAST('old' AS BLOB)), (2, 2, 1, '', 'gone', 0, 2, NULL, '[]', 4, CAST('gone' AS BLOB)),
  (3, 3, 2, '', 'top', 0, 3, NULL, '[]', 3, CAST('top' AS BLOB)), (4, 2, 1, '', 'gone', 2, 2, 2, '[]', 0, CAST('last' AS BLOB)),
  (5, 1, 1, 'n', 'a', 1, 1, 1, '[3,7]', 3, CAST('new' AS BLOB)), (6, 4, 1, '', 'd', 0, 6, NULL, '[7]', 1, CAST('d' AS BLOB));
CREATE TABLE terms (term INTEGER NOT NULL, object_id INTEGER NOT NULL, PRIMARY KEY (term, object_id)) WITHOUT ROWID;
INSERT INTO terms VALUES (3, 1), (7, 1), (7, 4);
`;

test('a SQLite store of the first version opens, and its rows get checksums', async () => {
  await using folder = await tempFolder();
  mkdirSync(folder.path, { recursive: true });
  const path = join(folder.path, 'store.sqlite');
  const old = new DatabaseSync(path);
  old.exec(firstVersion);
  old.close();
  {
    await using store = await openSqliteStore({ folder: folder.path });
    assert.equal(textOf(await store.get(keyOf('n/a'))), 'new');
    assert.equal(await write(store, put('n/a', { text: 'newer', terms: [7] }), remove('d')), 8);
    await store.upgraded;
    assert.equal((await Array.fromAsync(store.withTerm(7, 10))).length, 1);
    assert.equal((await store.changes({ after: 0, limit: 10 })).changes.length, 8);
    assert.equal(await store.facts.get('colour'), 'blue');
    assert.deepEqual(store.damage, []);
  }
  assert.deepEqual(await verifyStore({ type: 'sqlite', folder: folder.path }), []);
  const database = new DatabaseSync(path, { readOnly: true });
  for (const table of ['meta', 'facts', 'collections', 'objects', 'log']) {
    const { count } = database.prepare(`SELECT count(*) AS count FROM ${table} WHERE checksum IS NULL`).get() ?? {};
    assert.equal(count, 0, table);
  }
  assert.equal(database.prepare(`SELECT value FROM facts WHERE name = 'store.level'`).get()?.value, '2');
  database.close();
});
