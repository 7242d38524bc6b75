import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Listeners } from '../listeners.ts';
import { toObject, type VersionRow } from '../rows.ts';
import type {
  AdvanceListener,
  Change,
  ChangesPage,
  ChangesQuery,
  Collection,
  Commit,
  CommitResult,
  Facts,
  ListQuery,
  ObjectKey,
  Page,
  Snapshot,
  SnapshotObject,
  Store,
  StoredObject,
} from '../store.ts';
import { listObjects } from './list-objects.ts';
import { databaseFile } from './open-database.ts';
import { readChanges } from './read-changes.ts';
import { readSnapshot } from './read-snapshot.ts';
import * as statements from './read-statements.ts';
import { Reader } from './reader.ts';
import { ReaderPool } from './reader-pool.ts';
import { sqliteError } from './sqlite-failure.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteStoreOptions {
  /** The folder that holds the database. It is made when missing. */
  readonly folder: string;
  /** The database takes no more than so many pages of 4096 bytes. Default: no limit. */
  readonly maxPages?: number;
}

/** How much a background job does in one transaction, so that commits never wait long for it. */
const batchSize = 500;

/** Opens (and on first use makes) the database in a folder. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const path = join(options.folder, databaseFile);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  // Made before SQLite would, because its other files copy the mode of this one.
  const file = await open(path, 'a', 0o600);
  await file.chmod(0o600);
  await file.close();
  const store = new SqliteStore(path, options.maxPages);
  try {
    await store.open();
    return store;
  } catch (failure) {
    await store[Symbol.asyncDispose]();
    throw failure;
  }
}

/** The store in one file: all writing in a thread of its own, all reading here. */
export class SqliteStore implements Store {
  readonly facts: Facts;
  readonly #listeners = new Listeners();
  readonly #writer: WriterThread;
  readonly #pool: ReaderPool;
  readonly #path: string;
  #reader: Reader | undefined;

  constructor(path: string, maxPages?: number) {
    this.#path = path;
    const data = maxPages === undefined ? { path } : { path, maxPages };
    this.#writer = new WriterThread(data, committed => this.#listeners.wake(committed));
    this.#pool = new ReaderPool(path);
    this.facts = {
      get: async name => this.#one<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value,
      putIfAbsent: async (name, value) => (await this.#writer.call({ name: 'putFact', fact: name, value })) as string,
    };
  }

  /** Makes the tables if need be. To be called once, before all else. */
  async open(): Promise<void> {
    await this.#writer.call({ name: 'putFact', fact: 'store.level', value: '1' });
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    const { cluster, resource, namespace, name } = key;
    const row = this.#one<VersionRow>(statements.getObject, resource, cluster, namespace, name);
    return row && toObject({ ...row, cluster, resource, namespace, name });
  }

  async list(query: ListQuery): Promise<Page> {
    return this.#reading(reader => listObjects(reader, query));
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#writer.commit(commit);
  }

  async currentRevision(): Promise<number> {
    return this.#one<{ revision: number }>(statements.window)?.revision ?? 0;
  }

  async compactedRevision(): Promise<number> {
    return this.#one<{ compacted: number }>(statements.window)?.compacted ?? 0;
  }

  async changes(query: ChangesQuery): Promise<ChangesPage> {
    return this.#reading(reader => readChanges(reader, query));
  }

  onAdvance(listener: AdvanceListener): () => void {
    return this.#listeners.add(listener);
  }

  async before({ previousRevision }: Change): Promise<StoredObject | undefined> {
    if (previousRevision === undefined) return undefined;
    const row = this.#one<VersionRow>(statements.version, previousRevision);
    return row && toObject(row);
  }

  async collections(cluster?: string): Promise<readonly Collection[]> {
    const rows =
      cluster === undefined
        ? this.#all<Collection>(statements.nonEmptyCollections)
        : this.#all<Collection>(statements.nonEmptyCollectionsOfCluster, cluster);
    return rows.map(row => ({ cluster: row.cluster, resource: row.resource }));
  }

  async withTerm(term: number, limit: number): Promise<readonly StoredObject[]> {
    return this.#all<VersionRow>(statements.withTerm, term, limit).map(toObject);
  }

  async expired(nowMs: number, limit: number): Promise<readonly StoredObject[]> {
    return this.#all<VersionRow>(statements.expired, nowMs, limit).map(toObject);
  }

  async compact(revision: number): Promise<void> {
    await this.#writer.call({ name: 'compact', revision });
    while ((await this.#writer.call({ name: 'sweep', limit: batchSize })) === true) await nextTurn();
  }

  async purge(cluster: string, limit: number): Promise<number> {
    const removed = (await this.#writer.call({ name: 'purge', cluster, limit })) as number;
    if (removed > 0) return removed;
    while (((await this.#writer.call({ name: 'purgeHistory', cluster, limit: batchSize })) as number) > 0)
      await nextTurn();
    return 0;
  }

  async snapshot(): Promise<Snapshot> {
    return this.#guard(() => readSnapshot(this.#pool.borrow()));
  }

  async load(snapshot: Snapshot): Promise<void> {
    await this.#writer.call({ name: 'beginLoad' });
    try {
      for await (const objects of snapshot.objects)
        await this.#writer.call({ name: 'load', objects: objects.map(detach) });
      await this.#writer.call({ name: 'endLoad', revision: snapshot.revision });
    } catch (failure) {
      await this.#writer.call({ name: 'abortLoad' });
      throw failure;
    }
    this.#listeners.wake();
  }

  /** Cheap while all is well; after a failed write it tries another one, which changes nothing. */
  async check(): Promise<void> {
    if (this.#writer.lastFailure === undefined) await this.currentRevision();
    else await this.#writer.call({ name: 'probe' });
  }

  /** Changes the limit on the database's size. For tests of a full disk. */
  async limitPages(pages: number): Promise<void> {
    await this.#writer.call({ name: 'limitPages', pages });
  }

  /** Ends the writer thread without warning. For tests of its recovery. */
  async crashWriter(): Promise<void> {
    await this.#writer.crash();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader?.close();
    this.#reader = undefined;
    this.#pool[Symbol.dispose]();
    await this.#writer.close();
  }

  #one<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#guard(() => this.#single().one<T>(sql, ...values));
  }

  #all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#guard(() => this.#single().all<T>(sql, ...values));
  }

  /** The connection for reads of a single statement, which need no transaction. */
  #single(): Reader {
    this.#reader ??= new Reader(this.#path);
    return this.#reader;
  }

  async #reading<T>(read: (reader: Reader) => T | Promise<T>): Promise<T> {
    try {
      using lent = this.#pool.borrow();
      return await read(lent.reader);
    } catch (thrown) {
      throw sqliteError(thrown);
    }
  }

  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      throw sqliteError(thrown);
    }
  }
}

/** A value that shares a buffer with others would take all of that buffer along to the other thread. */
const detach = (object: SnapshotObject): SnapshotObject => ({
  ...object,
  value: { ...object.value, bytes: Uint8Array.from(object.value.bytes) },
});
