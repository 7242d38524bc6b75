import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CollectionScope } from '../list-scope.ts';
import type { VersionRow } from '../rows.ts';
import type { RevisionWindow } from '../store-errors.ts';
import { type MetaRow, verifyMeta } from './meta-row.ts';
import { openForReading } from './open-database.ts';
import * as statements from './read-statements.ts';

type Row = Readonly<Record<string, number | string | Uint8Array | null>>;

/** What a candidate's version adds to it. */
export type CandidateVersion = Omit<VersionRow, 'cluster' | 'resource' | 'namespace' | 'name' | 'created_revision'>;

/** An object as of some revision, in key order among others. The version may have to be read yet. */
export interface Candidate extends Partial<CandidateVersion> {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly created_revision: number;
  readonly terms: string;
}

/** A candidate whose version has been read. */
export type ReadCandidate = Candidate & CandidateVersion;

/** What a scan through one collection looks at. */
export interface CollectionScan {
  readonly collectionId: number;
  readonly scope: CollectionScope;
  readonly at: number;
}

/** One connection and its prepared statements. Statements are prepared on first use. */
export class Reader {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = openForReading(path);
  }

  one<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined;
  }

  all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[];
  }

  iterate<T = Row>(sql: string, values: Readonly<Record<string, SQLInputValue>>): IterableIterator<T> {
    return this.#prepare(sql).iterate(values) as unknown as IterableIterator<T>;
  }

  window(): RevisionWindow {
    return verifyMeta(this.one<MetaRow>(statements.window));
  }

  /** The next `limit` candidates of a scan through all objects. */
  scan({ collectionId, scope, at }: CollectionScan, limit: number): ReadCandidate[] {
    const sql = statements.scan(scope.namespace !== undefined);
    return this.#named({ collection: collectionId, at, ...scope.after, limit }, sql);
  }

  /** All candidates of a scan through the objects that carry one of the terms. */
  scanTerms({ collectionId, scope, at }: CollectionScan, terms: readonly number[]): Candidate[] {
    const sql = statements.scanTerms(scope.namespace !== undefined);
    return this.#named({ collection: collectionId, at, ...scope.after, terms: JSON.stringify(terms) }, sql);
  }

  /** How many candidates a scan has, or undefined when there are more than `limit`. */
  count({ collectionId, scope, at }: CollectionScan, limit: number): number | undefined {
    const { namespace, name } = scope.after;
    const values = { collection: collectionId, namespace, name };
    const [now, changed] = statements.counts(scope.namespace !== undefined);
    const current = Number(this.#prepare(now).get({ ...values, limit: limit + 1 })?.count);
    if (current > limit) return undefined;
    return current + Number(this.#prepare(changed).get({ ...values, at })?.count);
  }

  /** Keeps one state of the database in sight until `end`. */
  begin(): void {
    this.#database.exec('BEGIN');
    // The state is chosen by the first read, not by BEGIN.
    this.window();
  }

  /** Returns whether the connection is still fit for use: after a read of a damaged page it may not be. */
  end(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec('COMMIT');
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #named<T>(values: Readonly<Record<string, SQLInputValue>>, sql: string): T[] {
    return this.#prepare(sql).all(values) as T[];
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
