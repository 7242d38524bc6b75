import { refOfRow } from './object-of-row.ts';
import type { RowWrite } from './registry.ts';
import type { CommitNeeds } from './registry-commit.ts';
import { findObject } from './secret-writes.ts';

/** A watch is rarely more than milliseconds behind; nobody waits longer for one that is. */
const patienceMs = 2000;

/**
 * Shows the rows of a commit that failed as they are now. The watch would show it a little later, and until then a
 * caller who reads again and tries again would do so in vain.
 */
export async function catchUp(needs: CommitNeeds, writes: readonly RowWrite[]): Promise<void> {
  await Promise.all(writes.map(write => catchUpOne(needs, write)));
}

async function catchUpOne({ client, tables, rowOf }: CommitNeeds, write: RowWrite): Promise<void> {
  const followed = tables[write.table];
  const { table } = followed;
  const place = write.type === 'create' ? write : write.row;
  const object = await findObject(client, refOfRow(write.table, place));
  if (object !== undefined) return table.tell(followed.putOwn(rowOf(object)));
  if (write.type === 'create') return;
  // Its end has a revision that only the watch knows.
  const isGone = table.until(place.id, row => row === undefined, AbortSignal.timeout(patienceMs));
  await isGone.catch(() => undefined);
}
