import { DamageRecord } from '../damage-record.ts';
import { textChecksum } from '../row-checksum.ts';
import { toChange, toObject, type VersionRow } from '../rows.ts';
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
  ListQuery,
  ObjectKey,
  Page,
  RevisionStore,
  Snapshot,
  Store,
  StoredObject,
  StoreObserver,
} from '../store.ts';
import { assertReadable, type RevisionWindow } from '../store-errors.ts';
import { pagesOfTerm, termPage, termPageBytes } from '../term-page.ts';
import { addChecksums } from './add-checksums.ts';
import { AdvanceWatch } from './advance-watch.ts';
import { Database, type Statement } from './database.ts';
import { GetBatcher } from './get-batcher.ts';
import { GroupCommitter } from './group-committer.ts';
import { listObjects } from './list-objects.ts';
import { loadSnapshot } from './load-snapshot.ts';
import { migrate } from './migrate.ts';
import { databaseOptions, type PostgresStoreOptions } from './postgres-options.ts';
import { readSnapshot } from './read-snapshot.ts';
import * as statements from './read-statements.ts';
import { PostgresRevisions } from './revisions.ts';
import { WriteProbe } from './write-probe.ts';

/** How much a background job does in one transaction, so that commits never wait long for it. */
const batchSize = 500;

/** Connects, and makes or upgrades the tables. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const database = new Database(databaseOptions(options));
  try {
    await migrate(database);
    return new PostgresStore(database, options);
  } catch (failure) {
    await database[Symbol.asyncDispose]();
    throw failure;
  }
}

/** The store in a PostgreSQL server, for any number of replicas. */
export class PostgresStore implements Store {
  readonly facts: Facts;
  readonly revisions: RevisionStore;
  readonly #database: Database;
  readonly #committer: GroupCommitter;
  readonly #getter: GetBatcher;
  readonly #probe: WriteProbe;
  readonly #watch: AdvanceWatch;
  readonly #damage: DamageRecord;
  readonly #closing = new AbortController();
  /** Settles when every row has a checksum. */
  readonly upgraded: Promise<void>;

  constructor(
    database: Database,
    { onDamage, observer }: { onDamage?: (damage: Damage) => void; observer?: StoreObserver } = {},
  ) {
    this.#database = database;
    this.#damage = new DamageRecord(onDamage);
    // What fails now is done by the next start.
    this.upgraded = addChecksums(database, this.#closing.signal).catch(() => {});
    this.#watch = new AdvanceWatch(database);
    const onCommitted = (revision: number, changes: readonly Change[] | undefined): void =>
      this.#watch.committed(revision, changes);
    this.#committer = new GroupCommitter(database, onCommitted, observer);
    this.#probe = new WriteProbe(database);
    this.#getter = new GetBatcher(database);
    const revisions = new PostgresRevisions(database);
    this.revisions = {
      keep: (versions, maxPerObject) => revisions.keep(versions, maxPerObject),
      page: query => this.#noting(() => revisions.page(query)),
      trim: (bounds, limit) => revisions.trim(bounds, limit),
    };
    this.facts = { get: name => this.#getFact(name), putIfAbsent: (name, value) => this.#putFact(name, value) };
  }

  get damage(): readonly Damage[] {
    return this.#damage.all;
  }

  get(key: ObjectKey): Promise<StoredObject | undefined> {
    return this.#noting(() => this.#getter.get(key));
  }

  list(query: ListQuery): Promise<Page> {
    return this.#noting(() => this.#database.readTogether(connection => listObjects(connection, query)));
  }

  async commit(commit: Commit): Promise<CommitResult> {
    try {
      return await this.#committer.commit(commit);
    } catch (failure) {
      throw this.#probe.noteFailure(failure);
    }
  }

  async currentRevision(): Promise<number> {
    return (await this.#window()).revision;
  }

  async compactedRevision(): Promise<number> {
    return (await this.#window()).compacted;
  }

  async changes({ after, limit, collection }: ChangesQuery): Promise<ChangesPage> {
    const [statement, values] = changesStatement(collection);
    const rows = await this.#database.read<VersionRow & ChangesWindow>(statement, [after, limit + 1, ...values]);
    const [{ current, compacted }] = rows as unknown as [ChangesWindow];
    assertReadable(after, { revision: current, compacted });
    const found = rows.filter(row => row.revision !== null);
    const changes = await this.#noting(async () => found.slice(0, limit).map(toChange));
    const more = found.length > limit;
    return { changes, upTo: more ? (changes.at(-1)?.revision ?? after) : current, more };
  }

  onAdvance(listener: AdvanceListener): () => void {
    return this.#watch.add(listener);
  }

  async before({ previousRevision }: Change): Promise<StoredObject | undefined> {
    if (previousRevision === undefined) return undefined;
    return (await this.#objects(statements.version, [previousRevision]))[0];
  }

  collections(cluster?: string): Promise<readonly Collection[]> {
    return this.#database.read<Collection>(statements.nonEmptyCollections, [cluster ?? null]);
  }

  withTerm(term: number, limit: number): AsyncIterable<StoredObject> {
    return pagesOfTerm(limit, Number.MIN_SAFE_INTEGER, (after, count) =>
      this.#noting(async () => {
        const values = [term, after, count, termPageBytes];
        return termPage(await this.#database.read<VersionRow>(statements.withTerm, values), count);
      }),
    );
  }

  async keysWithTerm(term: number, limit: number): Promise<readonly ObjectKey[]> {
    return this.#database.read<ObjectKey>(statements.keysWithTerm, [term, limit]);
  }

  async expired(nowMs: number, limit: number): Promise<readonly StoredObject[]> {
    return this.#objects(statements.expired, [nowMs, limit]);
  }

  async compact(revision: number): Promise<void> {
    const window = await this.#window();
    assertReadable(Math.max(revision, window.compacted), window);
    await this.#call(`UPDATE meta SET value = $1 WHERE name = 'compacted' AND value < $1`, [revision]);
    while (await this.#call<boolean>('SELECT chandlery_sweep($1) AS result', [batchSize]));
  }

  async purge(cluster: string, limit: number): Promise<number> {
    const removed = await this.#call<number>('SELECT chandlery_purge($1, $2) AS result', [cluster, limit]);
    if (removed !== undefined && removed > 0) return removed;
    const kept = 'SELECT chandlery_purge_revisions($1, $2) AS result';
    while (((await this.#call<number>(kept, [cluster, batchSize])) ?? 0) > 0);
    const sql = 'SELECT chandlery_purge_history($1, $2) AS result';
    while (((await this.#call<number>(sql, [cluster, batchSize])) ?? 0) > 0);
    return 0;
  }

  snapshot(): Promise<Snapshot> {
    return readSnapshot(this.#database);
  }

  async load(snapshot: Snapshot): Promise<void> {
    await loadSnapshot(this.#database, snapshot);
    this.#watch.advanceTo(snapshot.revision);
  }

  async check(): Promise<void> {
    await this.#probe.check();
  }

  /** The whole database. */
  async sizeBytes(): Promise<number> {
    const [row] = await this.#database.read<{ bytes: string | number }>(databaseSize, []);
    return Number(row?.bytes ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#committer.close();
    this.#watch[Symbol.dispose]();
    await this.#database[Symbol.asyncDispose]();
  }

  #objects(statement: Statement, values: readonly unknown[]): Promise<StoredObject[]> {
    return this.#noting(async () => (await this.#database.read<VersionRow>(statement, values)).map(toObject));
  }

  /** Remembers the damage that a read has met. */
  async #noting<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (failure) {
      throw this.#damage.note(failure);
    }
  }

  async #window(): Promise<RevisionWindow> {
    const [window] = (await this.#database.read<RevisionWindow>(statements.window)) as [RevisionWindow];
    return window;
  }

  async #getFact(name: string): Promise<string | undefined> {
    const [row] = await this.#database.read<{ value: string }>(fact, [name]);
    return row?.value;
  }

  async #putFact(name: string, value: string): Promise<string> {
    const sql = 'INSERT INTO facts (name, value, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    await this.#call(sql, [name, value, textChecksum(name, value)]);
    return (await this.#getFact(name)) ?? value;
  }

  async #call<T>(sql: string, values: readonly unknown[]): Promise<T | undefined> {
    await using connection = await this.#database.connect('write');
    const [row] = await connection.run<{ result: T }>(sql, values);
    return row?.result;
  }
}

interface ChangesWindow {
  readonly current: number;
  readonly compacted: number;
}

const databaseSize: Statement = {
  name: 'database_size',
  text: 'SELECT pg_database_size(current_database()) AS bytes',
};

const fact: Statement = { name: 'fact', text: 'SELECT value FROM facts WHERE name = $1' };

function changesStatement(collection: ChangesQuery['collection']): [Statement, readonly string[]] {
  if (collection === undefined) return [statements.changesOfEverything, []];
  const { resource, cluster } = collection;
  if (cluster === undefined) return [statements.changesOfResource, [resource]];
  return [statements.changesOfCollection, [resource, cluster]];
}
