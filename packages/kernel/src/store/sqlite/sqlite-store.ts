import { statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Emitter } from '@chandlery/platform';
import { DamageRecord } from '../damage-record.ts';
import { type RevisionRow, revisionsPage } from '../revisions-page.ts';
import { toObject, type VersionRow } from '../rows.ts';
import type {
  AdvanceListener,
  Change,
  ChangesPage,
  ChangesQuery,
  Collection,
  Commit,
  CommitResult,
  Damage,
  Facts,
  KeptVersion,
  ListQuery,
  ObjectKey,
  Page,
  RevisionStore,
  RevisionsPage,
  RevisionsQuery,
  Snapshot,
  SnapshotObject,
  Store,
  StoredObject,
  StoreObserver,
} from '../store.ts';
import { formatKey } from '../store.ts';
import { damagedObject } from '../store-errors.ts';
import { pagesOfTerm, termPage } from '../term-page.ts';
import { Progress } from './integrity/progress.ts';
import { pageSize } from './integrity/wal-file.ts';
import { listObjects } from './list-objects.ts';
import { databaseFile } from './open-database.ts';
import { readChanges } from './read-changes.ts';
import { readSnapshot } from './read-snapshot.ts';
import * as statements from './read-statements.ts';
import { Reader } from './reader.ts';
import { ReaderPool } from './reader-pool.ts';
import { isDamage, sqliteError } from './sqlite-failure.ts';
import { type UpgradePosition, upgradeStart } from './upgrade.ts';
import type { OpenedDatabase } from './wire.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteStoreOptions {
  /** The folder that holds the database. It is made when missing. */
  readonly folder: string;
  /** The database takes no more than so many pages of 4096 bytes. Default: no limit. */
  readonly maxPages?: number;
  /** Called for each newly found damage of the stored data. Default: damage is not reported. */
  readonly onDamage?: (damage: Damage) => void;
  /** Default: commits are not measured. */
  readonly observer?: StoreObserver;
  /** Called every few seconds while the database file is verified, before it is opened. Default: progress is not reported. */
  readonly onVerifying?: (progress: VerifyingProgress) => void;
}

/** How far the verification of a database file has come. */
export interface VerifyingProgress {
  readonly verifiedBytes: number;
  readonly totalBytes: number;
}

const progressEveryMs = 3000;

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
  const store = new SqliteStore(path, options);
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
  readonly revisions: RevisionStore;
  readonly #listeners = new Emitter<Parameters<AdvanceListener>>();
  readonly #writer: WriterThread;
  readonly #pool: ReaderPool;
  readonly #path: string;
  readonly #damage: DamageRecord;
  readonly #onVerifying: SqliteStoreOptions['onVerifying'];
  #reader: Reader | undefined;
  #isClosed = false;
  #upgrading: Promise<void> = Promise.resolve();

  constructor(path: string, { maxPages, onDamage, onVerifying, observer }: Omit<SqliteStoreOptions, 'folder'> = {}) {
    this.#path = path;
    this.#onVerifying = onVerifying;
    this.#damage = new DamageRecord(onDamage);
    const data = maxPages === undefined ? { path } : { path, maxPages };
    this.#writer = new WriterThread(data, committed => this.#listeners.emit(committed), observer);
    this.#pool = new ReaderPool(path);
    this.facts = {
      get: async name => this.#one<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value,
      putIfAbsent: async (name, value) => (await this.#writer.call({ name: 'putFact', fact: name, value })) as string,
    };
    this.revisions = {
      keep: (versions, maxPerObject) => this.#keepRevisions(versions, maxPerObject),
      page: async query => this.#guard(() => this.#readRevisions(query)),
      trim: async (bounds, limit) => (await this.#writer.call({ name: 'trimRevisions', bounds, limit })) as number,
    };
  }

  /** Verifies the files, and makes or upgrades the tables. To be called once, before all else. */
  async open(): Promise<void> {
    const { damage, needsUpgrade } = await this.#verifyAndOpen();
    for (const each of damage) this.#damage.add(each);
    // From now on the writer's connection is not the last one, so SQLite checkpoints nothing should the writer die.
    await this.currentRevision();
    if (needsUpgrade) this.#upgrading = this.#upgrade();
  }

  async #verifyAndOpen(): Promise<OpenedDatabase> {
    const progress = new Progress();
    const { size: totalBytes } = statSync(this.#path);
    const tell = (): void => this.#onVerifying?.({ verifiedBytes: progress.pages * pageSize, totalBytes });
    const timer = setInterval(tell, progressEveryMs);
    try {
      return (await this.#writer.call({ name: 'open', progress: progress.buffer })) as OpenedDatabase;
    } finally {
      clearInterval(timer);
    }
  }

  /** Settles when every row has a checksum. */
  get upgraded(): Promise<void> {
    return this.#upgrading;
  }

  get damage(): readonly Damage[] {
    return this.#damage.all;
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    const { cluster, resource, namespace, name } = key;
    return this.#guard(() => {
      try {
        const row = this.#single().one<VersionRow>(statements.getObject, resource, cluster, namespace, name);
        return row && toObject({ ...row, cluster, resource, namespace, name });
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        throw damagedObject(formatKey(key), `SQLite cannot read it (${(thrown as Error).message})`, thrown);
      }
    });
  }

  async list(query: ListQuery): Promise<Page> {
    return this.#reading(reader => listObjects(reader, query));
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#writer.commit(commit);
  }

  async currentRevision(): Promise<number> {
    return this.#guard(() => this.#single().window().revision);
  }

  async compactedRevision(): Promise<number> {
    return this.#guard(() => this.#single().window().compacted);
  }

  async changes(query: ChangesQuery): Promise<ChangesPage> {
    return this.#reading(reader => readChanges(reader, query));
  }

  onAdvance(listener: AdvanceListener): () => void {
    return this.#listeners.add(listener);
  }

  async before({ previousRevision }: Change): Promise<StoredObject | undefined> {
    if (previousRevision === undefined) return undefined;
    return this.#objects(statements.version, previousRevision)[0];
  }

  async collections(cluster?: string): Promise<readonly Collection[]> {
    const rows =
      cluster === undefined
        ? this.#all<Collection>(statements.nonEmptyCollections)
        : this.#all<Collection>(statements.nonEmptyCollectionsOfCluster, cluster);
    return rows.map(row => ({ cluster: row.cluster, resource: row.resource }));
  }

  withTerm(term: number, limit: number): AsyncIterable<StoredObject> {
    return pagesOfTerm(limit, 0, (after, count) =>
      this.#guard(() => {
        const rows = this.#single().iterate<VersionRow>(statements.withTerm, { term, after, limit: count });
        return termPage(rows, count);
      }),
    );
  }

  async keysWithTerm(term: number, limit: number): Promise<readonly ObjectKey[]> {
    const rows = this.#all<ObjectKey>(statements.keysWithTerm, term, limit);
    return rows.map(({ cluster, resource, namespace, name }) => ({ cluster, resource, namespace, name }));
  }

  async expired(nowMs: number, limit: number): Promise<readonly StoredObject[]> {
    return this.#objects(statements.expired, nowMs, limit);
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
    this.#listeners.emit();
  }

  /** Cheap while all is well; after a failed write it tries another one, which changes nothing. */
  async check(): Promise<void> {
    if (this.#writer.lastFailure === undefined) await this.currentRevision();
    else await this.#writer.probe();
  }

  /** The database file with its write-ahead log. */
  async sizeBytes(): Promise<number> {
    const sizes = [this.#path, `${this.#path}-wal`].map(path => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
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
    this.#isClosed = true;
    await this.#upgrading;
    this.#reader?.close();
    this.#reader = undefined;
    this.#pool[Symbol.dispose]();
    await this.#writer.close();
  }

  /** Gives the rows of an earlier version their checksums, in small transactions beside all else. Tried again at the next start. */
  async #upgrade(): Promise<void> {
    let position: UpgradePosition | undefined = upgradeStart;
    try {
      while (position !== undefined && !this.#isClosed) {
        const call = { name: 'upgrade', position, limit: batchSize } as const;
        position = (await this.#writer.call(call)) as UpgradePosition | undefined;
        await nextTurn();
      }
    } catch (failure) {
      this.#damage.note(failure);
    }
  }

  async #keepRevisions(versions: readonly KeptVersion[], maxPerObject: number): Promise<void> {
    if (versions.length > 0) await this.#writer.call({ name: 'keepRevisions', versions, maxPerObject });
  }

  #readRevisions(query: RevisionsQuery): RevisionsPage {
    const { key, upTo = Number.MAX_SAFE_INTEGER, atMs = Number.MAX_SAFE_INTEGER, limit } = query;
    const { cluster, resource, namespace, name } = key;
    const values = { cluster, resource, namespace, name, upTo, atMs, limit: limit + 1 };
    return revisionsPage(this.#single().iterate<RevisionRow>(statements.revisions, values), query);
  }

  #objects(sql: string, ...values: SQLInputValue[]): StoredObject[] {
    return this.#guard(() =>
      this.#single()
        .all<VersionRow>(sql, ...values)
        .map(toObject),
    );
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
      throw this.#damage.note(sqliteError(thrown));
    }
  }

  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      throw this.#damage.note(sqliteError(thrown));
    }
  }
}

/** A value that shares a buffer with others would take all of that buffer along to the other thread. */
const detach = (object: SnapshotObject): SnapshotObject => ({
  ...object,
  value: { ...object.value, bytes: Uint8Array.from(object.value.bytes) },
});
