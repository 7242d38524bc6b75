import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isError } from '@chandlery/api/errors';
import { unavailable } from '../store-errors.ts';
import { type CommitToApply, Committer } from './committer.ts';
import { History } from './history.ts';
import { Loader } from './loader.ts';
import { openForWriting } from './open-database.ts';
import { schema } from './schema.ts';
import { isMachineTrouble, needsNewConnection } from './sqlite-failure.ts';
import { UniqueClaims } from './unique-claims.ts';
import type { WriterCall } from './wire.ts';
import { WriteBack } from './write-back.ts';

/** A commit that somebody waits for. */
export interface QueuedCommit extends CommitToApply {
  readonly ticket: number;
}

/** What became of a commit: its first revision, or why not. */
export type Outcome = { readonly revision: number } | { readonly failure: unknown };

interface Connection {
  readonly database: DatabaseSync;
  readonly committer: Committer;
  readonly history: History;
  readonly claims: UniqueClaims;
  readonly writeBack: WriteBack;
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
    withoutTrouble(() => this.#connection?.writeBack.afterGroup());
  }

  /** Does what would otherwise have to be done when somebody waits. To be called when nobody does. Never throws. */
  readAhead(): void {
    withoutTrouble(() => this.#connection?.claims.readAhead());
  }

  /** Everything but commits. */
  call(call: WriterCall): unknown {
    switch (call.name) {
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
      case 'beginLoad':
        return this.#beginLoad();
      case 'load':
        return this.#whileLoading(loader => call.objects.forEach(object => void loader.add(object)));
      case 'endLoad':
        return this.#whileLoading(loader => {
          loader.finish(call.revision);
          const { database, claims } = this.#connect();
          database.exec('COMMIT');
          claims.forget();
          this.#loader = undefined;
        });
      case 'abortLoad':
        return this.#rollBack();
      case 'probe':
        // Something new each time: SQLite writes no page whose contents stay the same.
        return this.#transaction(({ database }) => database.exec(probe));
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
      return result;
    } catch (failure) {
      this.#rollBack();
      if (needsNewConnection(failure)) this.#close();
      throw failure;
    }
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
    connection?.writeBack[Symbol.dispose]();
    connection?.database.close();
  }
}

function openConnection(path: string, maxPages: number | undefined): Connection {
  const database = openForWriting(path);
  try {
    database.exec(schema);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    const claims = new UniqueClaims(database);
    return {
      database,
      committer: new Committer(database, claims),
      history: new History(database, claims),
      claims,
      writeBack: new WriteBack(path, database),
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
    };
  } catch (failure) {
    database.close();
    throw failure;
  }
}

/** For what nobody has asked for: whoever asks next will have the same trouble, and be told. */
function withoutTrouble(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}

/** Our own errors are refusals, thrown before anything was changed; all others spoil the transaction. */
function attempt(committer: Committer, commit: CommitToApply): Outcome {
  try {
    return { revision: committer.commit(commit) };
  } catch (failure) {
    if (isError(failure)) return { failure };
    throw failure;
  }
}

const probe = `INSERT OR REPLACE INTO facts VALUES ('store.probe', hex(randomblob(8)))`;

function putFact(database: DatabaseSync, name: string, value: string): unknown {
  database.prepare('INSERT OR IGNORE INTO facts VALUES (?, ?)').run(name, value);
  return database.prepare('SELECT value FROM facts WHERE name = ?').get(name)?.value;
}
