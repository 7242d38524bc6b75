import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '@chandlery/runtime';
import { type Contact, isOutage } from './contact.ts';

export interface Patience {
  /** Ends it: then it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Whether refusals are waited for too. Default: outages only. */
  readonly isPatient?: boolean;
}

const pace = { baseMs: 200, maxMs: 15_000 };

/** Tries until an attempt succeeds, and has the contact tell why that takes long. Rejects with what waiting does not mend. */
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
