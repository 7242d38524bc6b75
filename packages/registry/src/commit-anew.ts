import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';

const maxAttempts = 8;

/**
 * Commits the writes that `decide` returns, and calls it again after a conflict: it must read its rows again. When it
 * returns no writes nothing is committed. Changes by other processes arrive a little later, hence the pauses.
 */
export async function commitAnew<Write>(
  registry: { commit(writes: readonly Write[]): Promise<void> },
  decide: () => readonly Write[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const writes = decide();
    if (writes.length === 0) return;
    try {
      return await registry.commit(writes);
    } catch (error) {
      if (!isError(error, 'Conflict', 'AlreadyExists', 'NotFound') || attempt >= maxAttempts) throw error;
      await sleep(5 * 2 ** attempt);
    }
  }
}
