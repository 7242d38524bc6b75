import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { patience } from './story-step.ts';

/**
 * Whether a call came to nothing because the service manager was away: no connection, or an answer of a server that ends or
 * begins. Refusals are no outage.
 */
export function isOutage(error: unknown): boolean {
  if (isError(error, 'ConnectionFailed', 'Timeout', 'ServiceUnavailable', 'UnexpectedAnswer')) return true;
  return error instanceof Error && /: 50\d /.test(error.message);
}

/** Repeats what fails in an outage. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patience.timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
