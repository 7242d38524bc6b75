import { isError } from '@chandlery/api';

/**
 * Runs a read-change-write until it loses no race, five times at most by default. `attempt` must read again each time;
 * the last conflict is thrown.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>, attempts = 5): Promise<T> {
  for (let left = attempts; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!isError(error, 'Conflict') || left <= 1) throw error;
    }
  }
}
