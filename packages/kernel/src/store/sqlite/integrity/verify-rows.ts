import { DatabaseSync } from 'node:sqlite';
import { headSum, objectChecksum, objectContentSum, textChecksum } from '../../row-checksum.ts';
import { changeTypes, type VersionRow, versionProblem } from '../../rows.ts';
import { type Damage, formatKey } from '../../store.ts';
import { type MetaRow, verifyMeta } from '../meta-row.ts';
import { allRevisions, allVersions } from '../read-statements.ts';
import { checksumLevel, makeTables } from '../schema.ts';

/** What the rows say. */
export interface RowsReport {
  readonly damage: readonly Damage[];
  /** Whether the only damage is in versions, each of which is verified whenever it is read. */
  readonly isContained: boolean;
  /** Whether the tables and indexes are declared as this version declares them. */
  readonly isSchemaSound: boolean;
}

/** So many findings of one kind are named; more would hide the others. */
const maxNamed = 1000;

/**
 * Verifies every row through every path that leads to it: SQLite's own check of its structure and indexes, the checksum of
 * every row, and the derived rows by deriving them again.
 */
export function verifyRows(database: DatabaseSync): RowsReport {
  const structure = collect('structure', structureDamage(database));
  const versions = collect('row', versionDamage(database));
  const others = [
    ...collect('row', smallTableDamage(database)),
    ...collect('row', objectDamage(database)),
    ...collect('index', derivedDamage(database)),
  ];
  const isReadable = versions.every(({ kind }) => kind === 'row');
  return {
    damage: [...structure, ...versions, ...others],
    isContained: isReadable && structure.length === 0 && others.length === 0,
    isSchemaSound: hasExpectedSchema(database),
  };
}

/** Compares the declarations with those of a new database. */
function hasExpectedSchema(database: DatabaseSync): boolean {
  const fresh = new DatabaseSync(':memory:');
  try {
    makeTables(fresh);
    return JSON.stringify(declarations(fresh)) === JSON.stringify(declarations(database));
  } catch {
    return false;
  } finally {
    fresh.close();
  }
}

const declarations = (database: DatabaseSync): unknown[] =>
  database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all();

type Finding = Omit<Damage, 'kind'>;

/** A table that cannot be read to its end is a finding as well. */
function collect(kind: Damage['kind'], findings: Iterable<Finding>): Damage[] {
  const damage: Damage[] = [];
  try {
    for (const finding of findings) {
      damage.push({ kind, ...finding });
      if (damage.length === maxNamed) break;
    }
  } catch (failure) {
    damage.push({ kind: 'structure', message: `the database cannot be read: ${(failure as Error).message}` });
  }
  return damage;
}

function* structureDamage(database: DatabaseSync): Generator<Finding> {
  for (const row of database.prepare('PRAGMA integrity_check').iterate()) {
    const message = String(row.integrity_check);
    if (message !== 'ok') yield { message: `SQLite's integrity check: ${message}` };
  }
}

function* versionDamage(database: DatabaseSync): Generator<Finding> {
  const isUpgraded = levelOf(database) >= checksumLevel;
  for (const row of database.prepare(allVersions).iterate() as unknown as Iterable<VersionRow>) {
    const isUnchecked = isUpgraded && row.checksum === null;
    const problem = isUnchecked ? `its version at revision ${row.revision} has no checksum` : versionProblem(row);
    if (problem !== undefined) yield objectFinding(row, problem);
  }
  for (const row of database.prepare(allRevisions).iterate() as unknown as Iterable<VersionRow>) {
    const problem = versionProblem(row);
    if (problem !== undefined) yield objectFinding(row, problem);
  }
}

const objectFinding = (key: Parameters<typeof formatKey>[0], problem: string): Finding => ({
  object: formatKey(key),
  message: `the stored object ${formatKey(key)} is damaged: ${problem}`,
});

const levelOf = (database: DatabaseSync): number =>
  Number(database.prepare(`SELECT value FROM facts WHERE name = 'store.level'`).get()?.value ?? 0);

interface TextRow {
  readonly a: string;
  readonly b: string;
  readonly checksum: number | null;
}

function* smallTableDamage(database: DatabaseSync): Generator<Finding> {
  const meta = database.prepare('SELECT revision, compacted, swept, checksum FROM meta').get();
  const isUpgraded = levelOf(database) >= checksumLevel;
  const problem = problemOf(() => verifyMeta(meta as unknown as MetaRow));
  if (problem !== undefined) yield { message: problem };
  for (const [table, columns] of [
    ['facts', 'name AS a, value AS b'],
    ['collections', 'resource AS a, cluster AS b'],
  ] as const) {
    for (const row of database.prepare(`SELECT ${columns}, checksum FROM ${table}`).iterate()) {
      const { a, b, checksum } = row as unknown as TextRow;
      if (checksum === null ? isUpgraded : checksum !== textChecksum(a, b))
        yield { message: `the row ${JSON.stringify(a)} of ${table} does not match its checksum` };
    }
  }
  const [ids] = database.prepare(idOrder).all();
  if (ids !== undefined) yield { message: 'the counter of collection ids is lower than an id in use' };
}

const idOrder = `
SELECT 1 FROM sqlite_sequence
WHERE name = 'collections' AND seq < (SELECT max(collection_id) FROM (SELECT max(collection_id) AS collection_id FROM log
  UNION ALL SELECT max(id) FROM collections))`;

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (failure) {
    return (failure as Error).message;
  }
}

interface ObjectRow {
  readonly id: number;
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly created_revision: number;
  readonly expires_at: number | null;
  readonly terms: string;
  readonly unique_keys: string | null;
  readonly checksum: number | null;
  /** 1 when the row agrees with the version that it points to. */
  readonly agrees: number | null;
}

const allObjects = `
SELECT o.*, c.cluster, c.resource,
  l.object_id = o.id AND l.collection_id = o.collection_id AND l.namespace = o.namespace AND l.name = o.name
  AND l.terms = o.terms AND l.type <> ${changeTypes.indexOf('deleted')} AS agrees
FROM objects o NOT INDEXED LEFT JOIN collections c ON c.id = o.collection_id LEFT JOIN log l ON l.revision = o.revision`;

/** Objects whose newest version is no deletion, and that are missing or point to another version. */
const lostObjects = `
SELECT l.revision, l.namespace, l.name, c.cluster, c.resource
FROM (SELECT object_id, max(revision) AS revision FROM log NOT INDEXED GROUP BY object_id) newest
JOIN log l ON l.revision = newest.revision
LEFT JOIN collections c ON c.id = l.collection_id LEFT JOIN objects o ON o.id = newest.object_id
WHERE CASE l.type WHEN ${changeTypes.indexOf('deleted')} THEN o.id IS NOT NULL ELSE o.revision IS NOT l.revision END`;

function* objectDamage(database: DatabaseSync): Generator<Finding> {
  const isUpgraded = levelOf(database) >= checksumLevel;
  for (const row of database.prepare(allObjects).iterate() as unknown as Iterable<ObjectRow>) {
    const problem = objectProblem(row, isUpgraded);
    if (problem !== undefined) yield objectFinding(row, problem);
  }
  for (const row of database.prepare(lostObjects).iterate() as unknown as Iterable<ObjectRow>)
    yield objectFinding(row, `its newest version, at revision ${row.revision}, is not what the object points to`);
  const ahead = database
    .prepare('SELECT max(revision) AS last FROM log HAVING last > (SELECT revision FROM meta)')
    .get();
  if (ahead !== undefined) yield { message: `the log holds revision ${String(ahead.last)}, later than the counter` };
}

function objectProblem(row: ObjectRow, isUpgraded: boolean): string | undefined {
  const { terms, unique_keys: unique, expires_at: expiresAt, checksum } = row;
  if (row.agrees !== 1) return `its row and its version at revision ${row.revision} differ`;
  if (checksum === null) return isUpgraded ? 'its row has no checksum' : undefined;
  const sum = objectChecksum(
    objectContentSum(headSum(row, terms), { unique, expiresAt }),
    row.revision,
    row.created_revision,
  );
  return sum === checksum ? undefined : 'its row does not match its checksum';
}

const surplusTerms = `
SELECT t.term, t.object_id FROM terms t WHERE NOT EXISTS (
  SELECT 1 FROM objects o CROSS JOIN json_each(o.terms) j WHERE o.id = t.object_id AND j.value = t.term)`;

const missingTerms = `
SELECT j.value AS term, o.id AS object_id FROM objects o CROSS JOIN json_each(o.terms) j
WHERE NOT EXISTS (SELECT 1 FROM terms t WHERE t.term = j.value AND t.object_id = o.id)`;

const sharedKeys = `
SELECT j.value AS text FROM objects o CROSS JOIN json_each(o.unique_keys) j
WHERE o.unique_keys IS NOT NULL GROUP BY j.value HAVING count(*) > 1`;

function* derivedDamage(database: DatabaseSync): Generator<Finding> {
  for (const [what, sql] of [
    ['surplus', surplusTerms],
    ['missing', missingTerms],
  ] as const) {
    for (const { term, object_id } of database.prepare(sql).iterate())
      yield { message: `the index entry of term ${String(term)} for object id ${String(object_id)} is ${what}` };
  }
  for (const { text } of database.prepare(sharedKeys).iterate())
    yield { message: `several objects hold the unique key ${JSON.stringify(text)}` };
}
