import { conflict, isError } from '@chandlery/api';
import type { AtomicResult, AtomicWrite } from '@chandlery/client';
import { type CommitDeps, tableOf } from './commit-deps.ts';
import { atomicWriteOf, refOfRow } from './object-of-row.ts';
import { definitionOf, nameOf } from './row-format.ts';
import type { AnyRowWrite, AnyWrite } from './row-writes.ts';
import { findObject, isSecretRace, secretWriteOf } from './secret-writes.ts';

/** A write and what it writes to the store; undefined when that is nothing. */
interface Planned {
  readonly write: AnyWrite;
  readonly atomic: AtomicWrite | undefined;
}

const maxSecretAttempts = 5;

/**
 * Writes all or nothing, and shows the results in all tables before any listener is notified: listeners of one table
 * find what was committed to the others.
 */
export async function commitToTables(deps: CommitDeps, writes: readonly AnyWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const planned = writes.every(isRowWrite)
      ? writes.map(write => planRow(deps, write))
      : await Promise.all(writes.map(write => plan(deps, write)));
    try {
      return await commitAndShow(deps, planned);
    } catch (error) {
      if (isSecretRace(error) && attempt < maxSecretAttempts) continue;
      throw await explain(deps, writes.filter(isRowWrite), error);
    }
  }
}

async function commitAndShow(deps: CommitDeps, planned: readonly Planned[]): Promise<void> {
  const writes = planned.flatMap(({ atomic }) => atomic ?? []);
  const shown = deps.client.commit(writes).then(results => show(deps, planned, results));
  deps.inFlight.add(shown);
  try {
    await shown;
  } finally {
    deps.inFlight.delete(shown);
  }
}

const planRow = ({ format, now }: CommitDeps, write: AnyRowWrite): Planned => ({
  write,
  atomic: atomicWriteOf(format, write, now),
});

async function plan(deps: CommitDeps, write: AnyWrite): Promise<Planned> {
  if (isRowWrite(write)) return planRow(deps, write);
  return { write, atomic: await secretWriteOf(deps.client, write, deps.secrets) };
}

function show(deps: CommitDeps, planned: readonly Planned[], results: readonly AtomicResult[]): void {
  const sent = planned.filter(({ atomic }) => atomic !== undefined);
  const notifications = sent.map(({ write }, index) => showOne(deps, write, results[index]));
  for (const notify of notifications) notify();
}

/** Takes one result into its table, and returns how to notify the table's listeners. */
function showOne(deps: CommitDeps, write: AnyWrite, result: AtomicResult): () => void {
  if (!isRowWrite(write) || result === undefined) return () => undefined;
  const followed = tableOf(deps, write.table);
  const changes =
    write.type === 'remove'
      ? followed.removeOwn(write.row.id, Number(result.metadata.resourceVersion))
      : followed.putOwn(deps.rowOf(result));
  return () => followed.table.notify(changes);
}

/** Returns the error for the caller once the tables have caught up, so that reading again shows the cause of a conflict. */
async function explain(deps: CommitDeps, writes: readonly AnyRowWrite[], error: unknown): Promise<unknown> {
  if (!isError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return error;
  // The conflicting commit may be of this process; then everything that it wrote must show, not these rows alone.
  await Promise.allSettled(deps.inFlight);
  if (!writes.some(write => isOvertaken(deps, write))) await catchUp(deps, writes);
  const { name = '', group = '', kind = '' } = error.details;
  if (!isError(error, 'NotFound') || !writes.some(write => isOfRow(deps, write, { group, name }))) return error;
  return conflict({ group, resource: kind }, name, 'it has been removed meanwhile');
}

/** Whether an object is that of a row which the write expects to exist. */
function isOfRow({ format }: CommitDeps, write: AnyRowWrite, object: { group: string; name: string }): boolean {
  if (write.type === 'create' || definitionOf(format, write.table).kind.group !== object.group) return false;
  return nameOf(format, write.row.id) === object.name;
}

/** Whether the tables already show why the write failed. */
function isOvertaken(deps: CommitDeps, write: AnyRowWrite): boolean {
  const { table } = tableOf(deps, write.table);
  if (write.type === 'create') return table.get(write.id) !== undefined;
  return table.get(write.row.id)?.revision !== write.row.revision;
}

const isRowWrite = (write: AnyWrite): write is AnyRowWrite =>
  write.type !== 'put-secret' && write.type !== 'remove-secret';

/** A watch is rarely more than milliseconds behind. */
const removalTimeoutMs = 2000;

/**
 * Updates the rows of a failed commit to their present state. The watch would do so a little later, and until then a
 * caller that reads and tries again would fail again.
 */
async function catchUp(deps: CommitDeps, writes: readonly AnyRowWrite[]): Promise<void> {
  await Promise.all(writes.map(write => catchUpOne(deps, write)));
}

async function catchUpOne(deps: CommitDeps, write: AnyRowWrite): Promise<void> {
  const followed = tableOf(deps, write.table);
  const { table } = followed;
  const identity = write.type === 'create' ? write : write.row;
  const object = await findObject(deps.client, refOfRow(deps.format, write.table, identity));
  if (object !== undefined) return table.notify(followed.putOwn(deps.rowOf(object)));
  if (write.type === 'create') return;
  // Only the watch knows the revision of a removal.
  const isRemoved = table.until(identity.id, row => row === undefined, AbortSignal.timeout(removalTimeoutMs));
  await isRemoved.catch(() => undefined);
}
