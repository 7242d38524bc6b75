import { createHash } from 'node:crypto';
import { isError } from '@chandlery/api';
import { createRow, indexTerm } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import type { FleetCaller } from './fleet-actions.ts';

/** The name of a user's object: the same in every replica. */
const userId = (term: string): string => createHash('sha256').update(term).digest('hex').slice(0, 40);

/**
 * Makes a function that remembers users of organisations. It costs a look-up for those who are known; for others it
 * resolves when they are, or when that failed and was logged.
 */
export function createUserSeen({
  registry,
  logger,
}: Pick<ActionDeps, 'registry' | 'logger'>): (caller: FleetCaller) => Promise<void> {
  const pending = new Map<string, Promise<void>>();
  const remember = async (term: string, { organisation, username, accountId }: FleetCaller): Promise<void> => {
    const spec = { organisation, username, ...(accountId === undefined ? {} : { accountId }) };
    try {
      await registry.commit([createRow({ table: 'users', id: userId(term), tenant: '', spec })]);
    } catch (error) {
      // Another replica may be as fast.
      if (!isError(error, 'AlreadyExists')) logger.warn('a user could not be remembered', { username, error });
    } finally {
      pending.delete(term);
    }
  };
  return async caller => {
    const term = indexTerm(caller.organisation, caller.username);
    if (registry.users.count('user', term) > 0) return;
    const remembering = pending.get(term) ?? remember(term, caller);
    pending.set(term, remembering);
    await remembering;
  };
}
