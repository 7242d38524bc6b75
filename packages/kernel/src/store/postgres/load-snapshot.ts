import { normaliseTerms } from '../commit-rules.ts';
import { headSum, objectChecksum, objectContentSum, versionChecksum, versionContentSum } from '../row-checksum.ts';
import type { Snapshot, SnapshotObject } from '../store.ts';
import { notEmpty } from '../store-errors.ts';
import { numbersLiteral } from './array-literals.ts';
import type { Connection, Database } from './database.ts';
import { objectDetails } from './object-details.ts';

/** Fills an empty database from a snapshot, in one transaction that keeps all commits waiting. */
export async function loadSnapshot(database: Database, snapshot: Snapshot): Promise<void> {
  await using connection = await database.connect('write');
  await connection.run('BEGIN');
  const [row] = await connection.run<{ value: number }>(`SELECT value FROM meta WHERE name = 'revision' FOR UPDATE`);
  if (row?.value !== 0) throw notEmpty();
  const loader = new Loader(connection);
  for await (const objects of snapshot.objects) await loader.add(objects);
  await loader.finish();
  // History before the snapshot is not in it, so it counts as forgotten.
  await connection.run('UPDATE meta SET value = $1', [snapshot.revision]);
  await connection.run('SELECT pg_notify($1, $2)', [database.schema, String(snapshot.revision)]);
  await connection.run('COMMIT');
}

/** The database is empty, so ids can be counted here instead of being asked for. */
class Loader {
  readonly #connection: Connection;
  readonly #collections = new Map<string, number>();
  #objectCount = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async add(objects: readonly SnapshotObject[]): Promise<void> {
    const rows = [];
    for (const object of objects)
      rows.push({ ...object, id: ++this.#objectCount, collection: await this.#collection(object) });
    const columns = [
      rows.map(row => row.id),
      rows.map(row => row.collection),
      rows.map(row => row.key.namespace),
      rows.map(row => row.key.name),
      rows.map(row => row.revision),
      rows.map(row => row.createdRevision),
      rows.map(row => JSON.stringify(normaliseTerms(row.terms))),
    ];
    await this.#connection.run(insertObjects, [
      ...columns,
      rows.map(row => row.expiresAt ?? null),
      rows.map(row => JSON.stringify(row.unique)),
      rows.map(objectSum),
    ]);
    const values = rows.map(row => Buffer.from(row.value.bytes));
    await this.#connection.run(insertLog, [
      ...columns,
      rows.map(row => row.value.splice),
      values,
      rows.map(row => versionSum(row, row.id)),
    ]);
    await this.#connection.run(insertTerms, [
      rows.flatMap(({ terms, id }) => normaliseTerms(terms).map(() => id)),
      rows.flatMap(({ terms }) => normaliseTerms(terms)),
    ]);
    await this.#connection.run(insertUnique, [
      rows.flatMap(({ unique, id }) => unique.map(() => id)),
      rows.flatMap(({ unique }) => unique),
    ]);
  }

  /** The database gives out the ids after ours from now on. */
  async finish(): Promise<void> {
    for (const [table, last] of [
      ['objects', this.#objectCount],
      ['collections', this.#collections.size],
    ] as const) {
      if (last > 0) await this.#connection.run(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, [table, last]);
    }
  }

  async #collection({ key: { cluster, resource } }: SnapshotObject): Promise<number> {
    const name = `${cluster}|${resource}`;
    const known = this.#collections.get(name);
    if (known !== undefined) return known;
    const id = this.#collections.size + 1;
    this.#collections.set(name, id);
    await this.#connection.run('INSERT INTO collections OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3)', [
      id,
      resource,
      cluster,
    ]);
    return id;
  }
}

const headOf = ({ key, terms }: SnapshotObject): number => headSum(key, numbersLiteral(normaliseTerms(terms)));

function objectSum(object: SnapshotObject): number {
  const sum = objectContentSum(headOf(object), objectDetails(object));
  return objectChecksum(sum, object.revision, object.createdRevision);
}

function versionSum(object: SnapshotObject, id: number): number {
  const { revision, createdRevision, value } = object;
  return versionChecksum(versionContentSum(headOf(object), value.splice, value.bytes), {
    revision,
    created_revision: createdRevision,
    previous_revision: null,
    type: revision === createdRevision ? 0 : 1,
    object_id: id,
  });
}

const list = (column: string, type: string): string =>
  `ARRAY(SELECT jsonb_array_elements_text(${column}::jsonb))::${type}[]`;

const insertObjects = `
INSERT INTO objects (id, collection_id, namespace, name, revision, created_revision, terms, expires_at, unique_keys, checksum)
OVERRIDING SYSTEM VALUE
SELECT id, collection_id, namespace, name, revision, created_revision, ${list('terms', 'bigint')}, expires_at, ${list('unique_keys', 'text')}, checksum
FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[], $9::text[], $10::bigint[])
  AS r (id, collection_id, namespace, name, revision, created_revision, terms, expires_at, unique_keys, checksum)`;

const insertLog = `
INSERT INTO log (object_id, collection_id, namespace, name, revision, created_revision, terms, splice, value, checksum, type)
SELECT id, collection_id, namespace, name, revision, created_revision, ${list('terms', 'bigint')}, splice, value, checksum,
  CASE WHEN revision = created_revision THEN 0 ELSE 1 END
FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::integer[], $9::bytea[], $10::bigint[])
  AS r (id, collection_id, namespace, name, revision, created_revision, terms, splice, value, checksum)`;

const insertTerms = 'INSERT INTO terms (object_id, term) SELECT * FROM unnest($1::bigint[], $2::bigint[])';

const insertUnique = 'INSERT INTO unique_keys (object_id, text) SELECT * FROM unnest($1::bigint[], $2::text[])';
