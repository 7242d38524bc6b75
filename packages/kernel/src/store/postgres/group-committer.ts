import { ChandleryError, toError } from '@chandlery/api';
import { CommitMeter } from '../commit-meter.ts';
import { assertConsistent } from '../commit-rules.ts';
import { CommittedChanges } from '../committed-changes.ts';
import type { Change, Commit, CommitResult, StoreObserver } from '../store.ts';
import { preconditionFailed, unavailable, uniqueViolation } from '../store-errors.ts';
import { type CommitRow, type CreationRow, commitStatement } from './commit-statements.ts';
import { commitSteps, type StepOrigin } from './commit-steps.ts';
import { CreationBatch } from './creation-batch.ts';
import type { Connection, Database } from './database.ts';
import { commitError, isRolledBack, postgresError } from './postgres-failure.ts';
import { splitGroup } from './split-group.ts';

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (failure: Error) => void;
}

/** A group takes no more than this, so that the first of it does not wait for ever. */
const maxGroup = { commits: 500, bytes: 8 * 1024 * 1024 };
/** Called with the last revision of every group that has committed something, and with its changes where they are known. */
type OnCommitted = (revision: number, changes: readonly Change[] | undefined) => void;

/**
 * Sends commits in groups: those that arrive while others are under way share the next transaction. One group is under
 * way at a time. A second would only wait for the first one's lock, and whatever arrives meanwhile for both.
 */
export class GroupCommitter {
  readonly #database: Database;
  readonly #onCommitted: OnCommitted;
  readonly #meter: CommitMeter;
  readonly #queue: Waiting[] = [];
  /** A group is under way, or about to be taken. */
  #isBusy = false;
  #isClosed = false;

  constructor(database: Database, onCommitted: OnCommitted, observer?: StoreObserver) {
    this.#database = database;
    this.#meter = new CommitMeter(observer);
    this.#onCommitted = onCommitted;
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#meter.measure(() => this.#commit(commit));
  }

  async #commit(commit: Commit): Promise<CommitResult> {
    assertConsistent(commit);
    if (this.#isClosed) throw unavailable('it is closed');
    return new Promise((resolve, reject) => {
      this.#queue.push({ commit, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes no more commits; those under way still finish. */
  close(): void {
    this.#isClosed = true;
  }

  /** Waits for the end of this turn of the event loop, so that everything of the turn goes together. */
  #schedule(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => void this.#sendGroup());
  }

  async #sendGroup(): Promise<void> {
    await this.#commitGroup(takeGroup(this.#queue));
    this.#isBusy = false;
    if (this.#queue.length > 0) this.#schedule();
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await using connection = await this.#database.connect('write');
      await this.#commitOn(connection, group);
    } catch (failure) {
      // There is no connection to be had, so those who wait behind this group need not wait as long as it did.
      for (const { reject } of [...group, ...this.#queue.splice(0)]) reject(toError(failure));
    }
  }

  /** When something stands in the way of creations, the group is tried again with those step by step. */
  async #commitOn(connection: Connection, group: readonly Waiting[], stepwise = new Set<Waiting>()): Promise<void> {
    const { creations, others } = splitGroup(group, stepwise);
    const batch = new CreationBatch(commitsOf(creations));
    const steps = commitSteps(commitsOf(others));
    let rows: readonly (CreationRow & CommitRow)[];
    try {
      rows = await connection.runRaw(...commitStatement(this.#database.schema, batch, steps));
    } catch (thrown) {
      await this.#refuse(group, thrown);
      return;
    }
    const { first_created: first = 0, refused = null } = rows[0] ?? {};
    if (refused !== null) {
      const hindered = batch.commitsWith(refused);
      await this.#commitOn(connection, group, stepwise.union(new Set(creations.filter((_, no) => hindered.has(no)))));
      return;
    }
    const settled = [
      ...this.#settle(creations, [], creationRows(creations, first)),
      ...this.#settle(others, steps.origins, rows),
    ];
    this.#meter.group(settled);
  }

  /** Returns what has been committed. */
  #settle(group: readonly Waiting[], origins: readonly StepOrigin[], rows: readonly CommitRow[]): readonly Commit[] {
    const byNo = new Map(rows.map(row => [row.commit_no, row]));
    const changes = new CommittedChanges();
    const committed: Commit[] = [];
    let last = 0;
    for (const [no, { commit, resolve, reject }] of group.entries()) {
      const row = byNo.get(no);
      const failure = row && failureOf(row, origins);
      if (failure !== undefined) {
        reject(failure);
        continue;
      }
      const first = row?.first_revision ?? 0;
      resolve({ revisions: commit.writes.map((_, index) => first + index) });
      changes.add(commit, first);
      committed.push(commit);
      last = Math.max(last, first + commit.writes.length - 1);
    }
    if (last > 0) this.#onCommitted(last, changes.all);
    return committed;
  }

  /** A statement that the server rejected for one commit's sake must not take the others with it. */
  async #refuse(group: readonly Waiting[], thrown: unknown): Promise<void> {
    const isTheirFault = isRolledBack(thrown) && postgresError(thrown, this.#database.place).code === 'InternalError';
    if (isTheirFault && group.length > 1) {
      for (const one of group) await this.#commitGroup([one]);
      return;
    }
    const failure = commitError(thrown, this.#database.place);
    for (const { reject } of group) reject(failure);
  }
}

const commitsOf = (group: readonly Waiting[]): Commit[] => group.map(({ commit }) => commit);

/** Creations take consecutive revisions in their order. */
function creationRows(creations: readonly Waiting[], first: number): CommitRow[] {
  let next = first;
  return creations.map(({ commit }, no) => {
    const row = { commit_no: no, first_revision: next, failed_step: null, failure: null };
    next += commit.writes.length;
    return row;
  });
}

function takeGroup(queue: Waiting[]): Waiting[] {
  let count = 0;
  let bytes = 0;
  for (const { commit } of queue) {
    if (count === maxGroup.commits || (count > 0 && bytes >= maxGroup.bytes)) break;
    for (const { value } of commit.writes) bytes += value.bytes.length;
    count++;
  }
  return queue.splice(0, count);
}

function failureOf({ failure, failed_step }: CommitRow, origins: readonly StepOrigin[]): ChandleryError | undefined {
  if (failure === null) return undefined;
  const origin = origins[(failed_step ?? 0) - 1];
  if (origin === undefined)
    return new ChandleryError('InternalError', `the commit function named an unknown step ${failed_step}`);
  return failure === 'unique' ? uniqueViolation(origin.key.name) : preconditionFailed(origin.key, failure);
}
