import { textChecksum } from '../row-checksum.ts';
import { type VersionRow, versionProblem } from '../rows.ts';
import { type Damage, formatKey, type ObjectKey } from '../store.ts';
import { type ObjectRow, sumOfObject } from './add-checksums.ts';
import { type Connection, Database, type Statement } from './database.ts';
import { databaseOptions, type PostgresStoreOptions } from './postgres-options.ts';
import * as statements from './read-statements.ts';

const pageSize = 500;
/** So many findings of one kind are named. */
const maxNamed = 1000;

/** Verifies a store that may be in use. One of an earlier version has to be opened by the server first. */
export async function verifyPostgresStore(options: PostgresStoreOptions): Promise<readonly Damage[]> {
  await using database = new Database(databaseOptions(options));
  return await verifyRows(database);
}

/**
 * Verifies every row: those with a checksum by it, derived ones by deriving them again. Reads one state of the database, and
 * can run while others write.
 */
function verifyRows(database: Database): Promise<readonly Damage[]> {
  return database.readTogether(async connection => {
    const damage: Damage[] = [];
    for (const [kind, findings] of [
      ['row', versionDamage(connection, statements.versionsAfter)],
      ['row', versionDamage(connection, statements.revisionsAfter)],
      ['row', objectDamage(connection)],
      ['row', factDamage(connection)],
      ['index', derivedDamage(connection)],
    ] as const) {
      let named = 0;
      for await (const finding of findings) {
        damage.push({ kind, ...finding });
        if (++named === maxNamed) break;
      }
    }
    return damage;
  });
}

type Finding = Omit<Damage, 'kind'>;

const objectFinding = (key: ObjectKey, problem: string): Finding => ({
  object: formatKey(key),
  message: `the stored object ${formatKey(key)} is damaged: ${problem}`,
});

async function* versionDamage(connection: Connection, pageAfter: Statement): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const rows = await connection.run<VersionRow>(pageAfter, [after, pageSize]);
    for (const row of rows) {
      const problem = versionProblem(row);
      if (problem !== undefined) yield objectFinding(row, problem);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.revision;
  }
}

async function* objectDamage(connection: Connection): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const rows = await connection.run<ObjectRow & { agrees: boolean }>(statements.objectsAfter, [after, pageSize]);
    for (const row of rows) {
      if (!row.agrees) yield objectFinding(row, `its row and its version at revision ${row.revision} differ`);
      else if (row.checksum !== null && row.checksum !== sumOfObject(row))
        yield objectFinding(row, 'its row does not match its checksum');
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.id;
  }
}

interface FactRow {
  readonly name: string;
  readonly value: string;
  readonly checksum: number | null;
}

async function* factDamage(connection: Connection): AsyncGenerator<Finding> {
  for (const { name, value, checksum } of await connection.run<FactRow>('SELECT name, value, checksum FROM facts')) {
    if (checksum !== null && checksum !== textChecksum(name, value))
      yield { message: `the fact ${JSON.stringify(name)} does not match its checksum` };
  }
}

const derived: readonly (readonly [string, string])[] = [
  [
    'a surplus index entry of term',
    `SELECT t.term AS what, t.object_id AS id FROM terms t
     WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = t.object_id AND t.term = ANY (o.terms))`,
  ],
  [
    'no index entry of term',
    `SELECT t AS what, o.id FROM objects o CROSS JOIN LATERAL unnest(o.terms) t
     WHERE NOT EXISTS (SELECT 1 FROM terms i WHERE i.term = t AND i.object_id = o.id)`,
  ],
  [
    'a surplus unique key',
    `SELECT u.text AS what, u.object_id AS id FROM unique_keys u
     WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = u.object_id AND u.text = ANY (o.unique_keys))`,
  ],
  [
    'no index entry of unique key',
    `SELECT t AS what, o.id FROM objects o CROSS JOIN LATERAL unnest(o.unique_keys) t
     WHERE NOT EXISTS (SELECT 1 FROM unique_keys u WHERE u.text = t AND u.object_id = o.id)`,
  ],
  [
    'a newest version that it does not point to, of revision',
    `SELECT l.revision AS what, l.object_id AS id
     FROM (SELECT object_id, max(revision) AS revision FROM log GROUP BY object_id) newest
     JOIN log l ON l.revision = newest.revision LEFT JOIN objects o ON o.id = newest.object_id
     WHERE CASE l.type WHEN 2 THEN o.id IS NOT NULL ELSE o.revision IS DISTINCT FROM l.revision END`,
  ],
];

async function* derivedDamage(connection: Connection): AsyncGenerator<Finding> {
  for (const [what, sql] of derived) {
    for (const row of await connection.run<{ what: string | number; id: number }>(`${sql} LIMIT ${maxNamed}`))
      yield { message: `the object with the id ${row.id} has ${what} ${JSON.stringify(row.what)}` };
  }
  const [counters] = await connection.run<{ isSound: boolean }>(`
    SELECT (SELECT coalesce(max(revision), 0) FROM log) <= max(value) FILTER (WHERE name = 'revision')
      AND max(value) FILTER (WHERE name = 'compacted') <= max(value) FILTER (WHERE name = 'revision')
      AND max(value) FILTER (WHERE name = 'swept') <= max(value) FILTER (WHERE name = 'compacted') AS "isSound" FROM meta`);
  if (counters?.isSound !== true) yield { message: 'the counters of the store contradict each other or the log' };
}
