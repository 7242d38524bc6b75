import { conflict, isError, type KubeObject } from '@chandlery/api';
import type { AtomicClient, AtomicResult, AtomicWrite } from '@chandlery/client';
import { brokersGroup, nameOfId } from '../kinds/index.ts';
import { catchUp } from './catch-up.ts';
import type { FollowedTable } from './followed-table.ts';
import { atomicWriteOf } from './object-of-row.ts';
import type { RegistryWrite, RowWrite, TableName } from './registry.ts';
import type { AnyRow } from './row-of.ts';
import { isSecretRace, secretWriteOf } from './secret-writes.ts';

/** What a commit works on. */
export interface CommitNeeds {
  readonly client: AtomicClient;
  readonly tables: Readonly<Record<TableName, FollowedTable<AnyRow>>>;
  readonly rowOf: (object: KubeObject) => AnyRow;
  readonly now: () => string;
  /** Commits that have not been shown yet. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A write and its part of the commit; undefined when it has none. */
interface Planned {
  readonly write: RegistryWrite;
  readonly atomic: AtomicWrite | undefined;
}

const secretAttempts = 5;

/**
 * Writes all or nothing, and shows the outcome in the tables before anybody hears of it: listeners of one table find
 * what was committed to the others.
 */
export async function commitToTables(needs: CommitNeeds, writes: readonly RegistryWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const planned = writes.every(isRowWrite)
      ? writes.map(write => planRow(needs, write))
      : await Promise.all(writes.map(write => plan(needs, write)));
    try {
      return await commitAndShow(needs, planned);
    } catch (error) {
      if (isSecretRace(error) && attempt < secretAttempts) continue;
      throw await explain(needs, writes.filter(isRowWrite), error);
    }
  }
}

async function commitAndShow(needs: CommitNeeds, planned: readonly Planned[]): Promise<void> {
  const writes = planned.flatMap(({ atomic }) => atomic ?? []);
  const shown = needs.client.commit(writes).then(results => show(needs, planned, results));
  needs.underWay.add(shown);
  try {
    await shown;
  } finally {
    needs.underWay.delete(shown);
  }
}

const planRow = ({ now }: CommitNeeds, write: RowWrite): Planned => ({ write, atomic: atomicWriteOf(write, now) });

async function plan(needs: CommitNeeds, write: RegistryWrite): Promise<Planned> {
  if (isRowWrite(write)) return planRow(needs, write);
  return { write, atomic: await secretWriteOf(needs.client, write) };
}

function show(needs: CommitNeeds, planned: readonly Planned[], results: readonly AtomicResult[]): void {
  const sent = planned.filter(({ atomic }) => atomic !== undefined);
  const tellings = sent.map(({ write }, index) => showOne(needs, write, results[index]));
  for (const tell of tellings) tell();
}

/** Takes one result into its table, and answers how to tell of it. */
function showOne({ tables, rowOf }: CommitNeeds, write: RegistryWrite, result: AtomicResult): () => void {
  if (!isRowWrite(write) || result === undefined) return () => undefined;
  const followed = tables[write.table];
  const changes =
    write.type === 'remove'
      ? followed.removeOwn(write.row.id, Number(result.metadata.resourceVersion))
      : followed.putOwn(rowOf(result));
  return () => followed.table.tell(changes);
}

/** What the caller is told. The tables have caught up by then, so that reading again shows what was in the way. */
async function explain(needs: CommitNeeds, writes: readonly RowWrite[], error: unknown): Promise<unknown> {
  if (!isError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return error;
  // Whoever was faster may be of this process; then all that it wrote is to be seen, not these rows alone.
  await Promise.allSettled(needs.underWay);
  if (!writes.some(write => isOvertaken(needs, write))) await catchUp(needs, writes);
  const { name = '', group, kind = '' } = error.details;
  const isKnownRow = writes.some(write => write.type !== 'create' && nameOfId(write.row.id) === name);
  if (!isError(error, 'NotFound') || group !== brokersGroup || !isKnownRow) return error;
  return conflict({ group, resource: kind }, name, 'it has been removed meanwhile');
}

/** Whether the tables already show why the write failed. */
function isOvertaken({ tables }: CommitNeeds, write: RowWrite): boolean {
  const { table } = tables[write.table];
  if (write.type === 'create') return table.get(write.id) !== undefined;
  return table.get(write.row.id)?.revision !== write.row.revision;
}

const isRowWrite = (write: RegistryWrite): write is RowWrite =>
  write.type !== 'put-secret' && write.type !== 'remove-secret';
