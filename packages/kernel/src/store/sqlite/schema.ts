import type { DatabaseSync } from 'node:sqlite';

/** The level of the tables that have a checksum in every row. */
export const checksumLevel = 2;

const checksummedTables = ['meta', 'facts', 'collections', 'objects', 'log'] as const;

/** Makes the tables, or adds what those of an earlier version lack. Checksums of existing rows are added later. */
export function makeTables(database: DatabaseSync): void {
  database.exec(schema);
  for (const table of checksummedTables) {
    const columns = database.prepare(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = 'checksum'`).all();
    if (columns.length === 0) database.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER`);
  }
}

/**
 * The tables of the first level. `objects` holds what is there now, in small rows; `log` holds the bytes of every version exactly once, so
 * the current value is the log row at the object's revision. Terms are kept in both as JSON lists: in `objects` to find
 * what an update changes in the index, in `log` to select past states. Unique keys have no table: see `UniqueClaims`. Older
 * databases have one, which is not kept.
 */
const schema = `
CREATE TABLE IF NOT EXISTS meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL,
  compacted INTEGER NOT NULL,
  swept INTEGER NOT NULL
);
INSERT OR IGNORE INTO meta (id, revision, compacted, swept) VALUES (1, 0, 0, 0);

CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO facts (name, value) VALUES ('store.level', '1');

CREATE TABLE IF NOT EXISTS collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  resource TEXT NOT NULL,
  cluster TEXT NOT NULL,
  UNIQUE (resource, cluster)
);
CREATE INDEX IF NOT EXISTS collections_cluster ON collections (cluster);

CREATE TABLE IF NOT EXISTS objects (
  id INTEGER PRIMARY KEY,
  collection_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_revision INTEGER NOT NULL,
  expires_at INTEGER,
  terms TEXT NOT NULL,
  unique_keys TEXT,
  UNIQUE (collection_id, namespace, name)
);
CREATE INDEX IF NOT EXISTS objects_expiry ON objects (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS log (
  revision INTEGER PRIMARY KEY,
  object_id INTEGER NOT NULL,
  collection_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  type INTEGER NOT NULL,
  created_revision INTEGER NOT NULL,
  previous_revision INTEGER,
  terms TEXT NOT NULL,
  splice INTEGER NOT NULL,
  value BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS log_collection ON log (collection_id, revision, previous_revision);

CREATE TABLE IF NOT EXISTS terms (
  term INTEGER NOT NULL,
  object_id INTEGER NOT NULL,
  PRIMARY KEY (term, object_id)
) WITHOUT ROWID;

-- Copies of rows of the log, checksums included. Rows of earlier versions have no level: the table is made when it lacks.
CREATE TABLE IF NOT EXISTS revisions (
  revision INTEGER PRIMARY KEY,
  object_id INTEGER NOT NULL,
  collection_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  type INTEGER NOT NULL,
  created_revision INTEGER NOT NULL,
  previous_revision INTEGER,
  terms TEXT NOT NULL,
  splice INTEGER NOT NULL,
  value BLOB NOT NULL,
  checksum INTEGER,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS revisions_object ON revisions (collection_id, namespace, name, revision);
CREATE INDEX IF NOT EXISTS revisions_expiry ON revisions (expires_at, size);
CREATE INDEX IF NOT EXISTS revisions_room ON revisions (collection_id, namespace, expires_at, size);

DROP TABLE IF EXISTS unique_keys;
`;
