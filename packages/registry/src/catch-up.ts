import { type CommitDeps, tableOf } from './commit-deps.ts';
import { refOfRow } from './object-of-row.ts';
import type { AnyRowWrite } from './row-writes.ts';
import { findObject } from './secret-writes.ts';

/** A watch is rarely more than milliseconds behind. */
const removalTimeoutMs = 2000;

/**
 * Updates the rows of a failed commit to their present state. The watch would do so a little later, and until then a
 * caller that reads and tries again would fail again.
 */
export async function catchUp(deps: CommitDeps, writes: readonly AnyRowWrite[]): Promise<void> {
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
