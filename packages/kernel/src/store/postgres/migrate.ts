import type { Connection, Database } from './database.ts';
import { factsTable, migrations } from './schema.ts';

/** Makes or upgrades the tables. Several replicas may start at once: one does it, the others wait for that. */
export async function migrate(database: Database): Promise<void> {
  await using connection = await database.connect('write');
  await connection.run('BEGIN');
  await connection.run('SELECT pg_advisory_xact_lock(hashtext($1))', [`chandlery ${database.schema}`]);
  await makeSchema(connection, database.schema);
  await connection.run(factsTable);
  const level = await readLevel(connection);
  for (const migration of migrations.slice(level)) await connection.run(migration);
  await connection.run(
    `INSERT INTO facts VALUES ('store.level', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(Math.max(level, migrations.length))],
  );
  await connection.run('COMMIT');
}

/** Asks first: making a schema needs a right that the store's user may not have, and need not when it is there. */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  const known = await connection.run('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (known.length === 0) await connection.run(`CREATE SCHEMA ${schema}`);
}

async function readLevel(connection: Connection): Promise<number> {
  const [row] = await connection.run<{ value: string }>(`SELECT value FROM facts WHERE name = 'store.level'`);
  return Number(row?.value ?? 0);
}
