import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { Registry, RegistryWrite } from './registry.ts';

const attempts = 8;

/**
 * Commits what `decide` says, which is asked again whenever somebody was faster: it must read rows anew. No writes:
 * nothing is committed. A change by another process needs a moment to arrive, hence the pauses.
 */
export async function commitAnew(registry: Registry, decide: () => readonly RegistryWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const writes = decide();
    if (writes.length === 0) return;
    try {
      return await registry.commit(writes);
    } catch (error) {
      if (!isError(error, 'Conflict', 'AlreadyExists', 'NotFound') || attempt >= attempts) throw error;
      await sleep(5 * 2 ** attempt);
    }
  }
}
