import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isError } from '@chandlery/api/errors';
import { textChecksum } from '../row-checksum.ts';
import type { Damage } from '../store.ts';
import { unavailable } from '../store-errors.ts';
import { type CommitToApply, Committer } from './committer.ts';
import { History } from './history.ts';
import { Acknowledger } from './integrity/acknowledger.ts';
import type { AcknowledgedPosition } from './integrity/commit-mark.ts';
import { lossFact, lossMessage } from './integrity/loss.ts';
import { prepareFiles } from './integrity/open-sound.ts';
import { buildPageChecksums, forgetPageChecksums } from './integrity/page-checksums.ts';
import { Progress } from './integrity/progress.ts';
import { storeFiles } from './integrity/store-files.ts';
import { type RowsReport, verifyRows } from './integrity/verify-rows.ts';
import { Loader } from './loader.ts';
import { openForWriting } from './open-database.ts';
import { Revisions } from './revisions.ts';
import { checksumLevel, makeTables } from './schema.ts';
import { isDamage, isMachineTrouble, needsNewConnection } from './sqlite-failure.ts';
import { UniqueClaims } from './unique-claims.ts';
import { upgradeRows, writeFact } from './upgrade.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';
import type { OpenedDatabase, WriterCall } from './wire.ts';

/** A commit whose caller waits. */
export interface QueuedCommit extends CommitToApply {
  readonly ticket: number;
}

/** What became of a commit: its first revision, or why not. */
export type Outcome = { readonly revision: number } | { readonly failure: unknown };

interface Connection {
  readonly database: DatabaseSync;
  readonly committer: Committer;
  readonly history: History;
  readonly revisions: Revisions;
  readonly claims: UniqueClaims;
  readonly checkpointer: WalCheckpointer;
  readonly acknowledger: Acknowledger;
  readonly begin: StatementSync;
  readonly commit: StatementSync;
}

/** All writing to the database. Survives every failure: a broken connection is replaced at the next request. */
export class WriterEngine {
  readonly #path: string;
  #maxPages: number | undefined;
  #connection: Connection | undefined;
  #loader: Loader | undefined;

  constructor(path: string, maxPages?: number) {
    this.#path = path;
    this.#maxPages = maxPages;
  }

  /** Commits a group in one transaction, in order; later ones see earlier ones. */
  commit(group: readonly QueuedCommit[]): Outcome[] {
    try {
      return this.#transaction(({ committer }) =>
        committer.group(() => group.map(commit => attempt(committer, commit))),
      );
    } catch (failure) {
      if (group.length === 1 || isMachineTrouble(failure) || this.#loader !== undefined)
        return group.map(() => ({ failure }));
      // One of them is at fault in a way that its checks did not foresee: it must not take the others with it.
      return group.flatMap(one => this.commit([one]));
    }
  }

  /** Looks after the log. To be called after each group, when it has been answered. Never throws. */
  keepLog(): void {
    withoutTrouble(() => this.#connection?.checkpointer.afterGroup());
  }

  /** Does work ahead of the next request. To be called when no request waits. Never throws. */
  readAhead(): void {
    withoutTrouble(() => this.#connection?.claims.readAhead());
  }

  /** Everything but commits. */
  call(call: WriterCall): unknown {
    switch (call.name) {
      case 'open':
        return this.#open(new Progress(call.progress));
      case 'upgrade':
        return this.#transaction(({ database }) => upgradeRows(database, call.position, call.limit));
      case 'putFact':
        return this.#transaction(({ database }) => putFact(database, call.fact, call.value));
      case 'compact':
        return this.#transaction(({ history }) => history.compact(call.revision));
      case 'sweep':
        return this.#transaction(({ history }) => history.sweep(call.limit));
      case 'purge':
        return this.#transaction(({ history }) => history.purge(call.cluster, call.limit));
      case 'purgeHistory':
        return this.#transaction(({ history, committer }) => {
          committer.forgetCollections();
          return history.purgeHistory(call.cluster, call.limit);
        });
      case 'keepRevisions':
        return this.#transaction(({ revisions }) => revisions.keep(call.versions, call.maxPerObject));
      case 'trimRevisions':
        return this.#transaction(({ revisions }) => revisions.trim(call.bounds, call.limit));
      case 'beginLoad':
        return this.#beginLoad();
      case 'load':
        return this.#whileLoading(loader => call.objects.forEach(object => void loader.add(object)));
      case 'endLoad':
        return this.#whileLoading(loader => {
          loader.finish(call.revision);
          const { database, claims, acknowledger } = this.#connect();
          database.exec('COMMIT');
          acknowledger.committed(call.revision);
          claims.forget();
          this.#loader = undefined;
        });
      case 'abortLoad':
        return this.#rollBack();
      case 'probe':
        return this.#probe();
      case 'limitPages':
        this.#maxPages = call.pages;
        return this.#connect().database.exec(`PRAGMA max_page_count = ${call.pages}`);
      case 'close':
        return this.#close();
    }
  }

  #transaction<T>(work: (connection: Connection) => T): T {
    if (this.#loader !== undefined) throw unavailable('a snapshot is being loaded into it');
    try {
      const connection = this.#connect();
      connection.begin.run();
      const result = work(connection);
      connection.commit.run();
      connection.acknowledger.committed(connection.committer.revision);
      return result;
    } catch (failure) {
      this.#rollBack();
      if (needsNewConnection(failure)) this.#close();
      throw failure;
    }
  }

  /** Verifies what is there, and opens it. */
  #open(progress: Progress): OpenedDatabase {
    const { damage, acknowledged } = prepareFiles({
      files: storeFiles(this.#path),
      verifyRows: () => this.#verifyRows(),
      onPages: pages => progress.set(pages),
    });
    const connection = this.#connect();
    const lost = this.#transaction(() => accountForLoss(connection, acknowledged));
    return { damage: [...lost, ...damage], needsUpgrade: levelOf(connection.database) < checksumLevel };
  }

  #verifyRows(): RowsReport {
    try {
      return verifyRows(this.#connect().database);
    } catch (failure) {
      if (!isDamage(failure)) throw failure;
      const message = `SQLite cannot open the database (${(failure as Error).message})`;
      return { damage: [{ kind: 'structure', message }], isContained: false, isSchemaSound: false };
    } finally {
      this.#close();
    }
  }

  /** Writes as much as a large object takes, and removes it again: a few bytes find room on a disk that is full. */
  #probe(): void {
    const content = randomBytes(probeBytes).toString('base64');
    this.#transaction(({ database }) => writeFact(database, probeFact, content));
    this.#transaction(({ database }) => database.prepare('DELETE FROM facts WHERE name = ?').run(probeFact));
  }

  #beginLoad(): void {
    const { database, committer } = this.#connect();
    database.exec('BEGIN IMMEDIATE');
    try {
      this.#loader = new Loader(database, committer);
    } catch (failure) {
      this.#rollBack();
      throw failure;
    }
  }

  #whileLoading(work: (loader: Loader) => void): void {
    if (this.#loader === undefined) throw unavailable('no snapshot is being loaded');
    work(this.#loader);
  }

  #rollBack(): void {
    this.#loader = undefined;
    this.#connection?.committer.forgetCollections();
    this.#connection?.claims.forget();
    // SQLite has rolled back by itself after some errors.
    if (this.#connection?.database.isTransaction === true) this.#connection.database.exec('ROLLBACK');
  }

  #connect(): Connection {
    this.#connection ??= openConnection(this.#path, this.#maxPages);
    return this.#connection;
  }

  #close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) closeConnection(this.#path, connection);
  }
}

/** Whatever fails, the connection is closed: its trouble was reported when it arose. */
function closeConnection(path: string, { database, checkpointer, acknowledger }: Connection): void {
  let isComplete = false;
  withoutTrouble(() => {
    isComplete = checkpointer.finish();
  });
  // Closing the last connection checkpoints what is left, unrecorded.
  if (!isComplete) withoutTrouble(() => forgetPageChecksums(storeFiles(path).pages));
  checkpointer[Symbol.dispose]();
  acknowledger.close(() => database.close());
}

/**
 * Finds out whether acknowledged writes are missing. Their revisions are not given out again, and the loss is recorded in
 * the database, since the evidence does not last: only the operator decides that it has been dealt with.
 */
function accountForLoss(
  { database, history }: Connection,
  acknowledged: AcknowledgedPosition | undefined,
): readonly Damage[] {
  const { revision } = database.prepare('SELECT revision FROM meta').get() as { revision: number };
  if (acknowledged !== undefined && acknowledged.revision > revision) {
    writeFact(database, lossFact, lossMessage(revision, acknowledged.revision));
    history.skipTo(acknowledged.revision);
  }
  const recorded = database.prepare('SELECT value FROM facts WHERE name = ?').get(lossFact)?.value;
  return typeof recorded === 'string' ? [{ kind: 'lost', message: recorded }] : [];
}

const levelOf = (database: DatabaseSync): number =>
  Number(database.prepare(`SELECT value FROM facts WHERE name = 'store.level'`).get()?.value ?? 0);

function openConnection(path: string, maxPages: number | undefined): Connection {
  const database = openForWriting(path);
  try {
    const { pages } = storeFiles(path);
    if (!existsSync(pages)) buildPageChecksums(path, pages);
    makeTables(database);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    const claims = new UniqueClaims(database);
    return {
      database,
      committer: new Committer(database, claims),
      history: new History(database, claims),
      revisions: new Revisions(database),
      claims,
      checkpointer: new WalCheckpointer(path, database),
      acknowledger: new Acknowledger(path, database),
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
    };
  } catch (failure) {
    database.close();
    throw failure;
  }
}

/** For background work: the next request meets the same failure and reports it. */
function withoutTrouble(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}

/** Our own errors are rejections, thrown before anything was changed; all others spoil the transaction. */
function attempt(committer: Committer, commit: CommitToApply): Outcome {
  try {
    return { revision: committer.commit(commit) };
  } catch (failure) {
    if (isError(failure)) return { failure };
    throw failure;
  }
}

const probeFact = 'store.probe';
const probeBytes = 192 * 1024;

function putFact(database: DatabaseSync, name: string, value: string): unknown {
  database
    .prepare('INSERT OR IGNORE INTO facts (name, value, checksum) VALUES (?, ?, ?)')
    .run(name, value, textChecksum(name, value));
  return database.prepare('SELECT value FROM facts WHERE name = ?').get(name)?.value;
}
