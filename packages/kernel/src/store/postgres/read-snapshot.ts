import { type SnapshotRow, toSnapshotObject } from '../rows.ts';
import type { Snapshot, SnapshotObject } from '../store.ts';
import type { RevisionWindow } from '../store-errors.ts';
import type { Connection, Database } from './database.ts';
import * as statements from './read-statements.ts';

/** Everything as of now, during writes. A snapshot that is not read for five minutes is given up. */
export async function readSnapshot(database: Database): Promise<Snapshot> {
  const connection = await database.connect('read');
  try {
    await connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await connection.run(`SET LOCAL idle_in_transaction_session_timeout = '5min'`);
    const [window] = (await connection.run<RevisionWindow>(statements.window)) as [RevisionWindow];
    return { revision: window.revision, objects: batches(connection) };
  } catch (failure) {
    await connection[Symbol.asyncDispose]();
    throw failure;
  }
}

async function* batches(connection: Connection): AsyncGenerator<readonly SnapshotObject[]> {
  await using held = connection;
  await held.run(statements.snapshotCursor);
  for (;;) {
    const rows = await held.run<SnapshotRow>('FETCH 500 FROM snapshot');
    if (rows.length === 0) break;
    yield rows.map(toSnapshotObject);
  }
  await held.run('COMMIT');
}
