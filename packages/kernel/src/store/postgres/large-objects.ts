import { ChandleryError } from '@chandlery/api';
import { type Connection, Database, type Statement } from './database.ts';
import { databaseOptions, type PostgresStoreOptions } from './postgres-options.ts';

/** Bytes of an object, both ends included. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const table = `CREATE TABLE IF NOT EXISTS large_objects (
  name text COLLATE "C" PRIMARY KEY,
  content oid NOT NULL,
  size bigint NOT NULL
)`;

const chunkBytes = 1024 * 1024;
const namesPerPage = 1000;

const find: Statement = {
  name: 'large_object_find',
  text: 'SELECT content, size FROM large_objects WHERE name = $1',
};
const readChunk: Statement = { name: 'large_object_read', text: 'SELECT lo_get($1, $2, $3) AS chunk' };
const listNames: Statement = {
  name: 'large_object_names',
  text: `SELECT name FROM large_objects WHERE name > $1 ORDER BY name LIMIT ${namesPerPage}`,
};
const insert = 'INSERT INTO large_objects VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING name';
const remove = `WITH removed AS (DELETE FROM large_objects WHERE name = $1 RETURNING content)
  SELECT lo_unlink(content) FROM removed`;

/**
 * Bytes by name, as large objects of the database that replicas share. They are written in one transaction and never
 * changed. Has connections of its own: long contents must not hold up the store.
 */
export class LargeObjects implements AsyncDisposable {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Opens them in the schema of the store, which exists. */
  static async open(options: PostgresStoreOptions): Promise<LargeObjects> {
    const database = new Database(databaseOptions(options));
    try {
      await using connection = await database.connect('write');
      await connection.run('BEGIN');
      await connection.run('SELECT pg_advisory_xact_lock(hashtext($1))', [`chandlery ${database.schema}`]);
      await connection.run(table);
      await connection.run('COMMIT');
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
    return new LargeObjects(database);
  }

  /** Stores content under a name, durably. What is stored there already stays as it is. */
  async write(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    await using connection = await this.#database.connect('write');
    await connection.run('BEGIN');
    const [created] = await connection.run<{ oid: number }>('SELECT lo_create(0) AS oid');
    const oid = created?.oid ?? 0;
    const size = await writeChunks(connection, oid, content);
    const inserted = await connection.run(insert, [name, oid, size]);
    await connection.run(inserted.length > 0 ? 'COMMIT' : 'ROLLBACK');
  }

  /** Returns the bytes of an object. Reading fails with `NotFound` when there is none. */
  async *read(name: string, range?: Range): AsyncGenerator<Uint8Array> {
    const [row] = await this.#database.read<{ content: number; size: string }>(find, [name]);
    if (row === undefined) throw new ChandleryError('NotFound', `there is no large object ${name}`);
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, Number(row.size) - 1);
    for (let at = range?.start ?? 0; at <= end; at += chunkBytes) {
      const length = Math.min(chunkBytes, end - at + 1);
      const [read] = await this.#database.read<{ chunk: Buffer }>(readChunk, [row.content, at, length]);
      if (read?.chunk.length !== length) throw new ChandleryError('NotFound', `the large object ${name} was removed`);
      yield read.chunk;
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.#database.read(find, [name])).length > 0;
  }

  /** Removes an object; one that is not there is no failure. */
  async remove(name: string): Promise<void> {
    await using connection = await this.#database.connect('write');
    await connection.run(remove, [name]);
  }

  /** The names of all objects, in their order. */
  async *names(): AsyncGenerator<string> {
    for (let after = ''; ; ) {
      const rows = await this.#database.read<{ name: string }>(listNames, [after]);
      for (const { name } of rows) yield name;
      if (rows.length < namesPerPage) return;
      after = rows.at(-1)?.name ?? '';
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

/** Appends content to an object that is empty. Returns its size. */
async function writeChunks(connection: Connection, oid: number, content: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += chunkBytes) {
      const part = chunk.subarray(at, at + chunkBytes);
      await connection.run('SELECT lo_put($1, $2, $3)', [oid, size, Buffer.from(part)]);
      size += part.length;
    }
  }
  return size;
}
