import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '@chandlery/runtime';
import { type Contact, isOutage } from './contact.ts';

export interface Patience {
  /** Ends the attempts: then it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Whether rejections are retried too. Default: outages only. */
  readonly isPatient?: boolean;
}

const pace = { baseMs: 200, maxMs: 15_000 };

/**
 * Retries until an attempt succeeds, and reports why that takes long. Rejects with errors that waiting does not fix.
 */
export async function untilReached<T>(
  contact: Contact,
  attempt: () => Promise<T>,
  { signal, isPatient = false }: Patience,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      const result = await attempt();
      contact.report();
      return result;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isPatient && !isOutage(thrown)) throw thrown;
      contact.report(thrown);
    }
    await sleep(backOffMs(failures, pace), undefined, { signal });
  }
}
