import type { KubeObject } from '@chandlery/api';
import type { InternalOutcome } from '@chandlery/brokers/kinds';
import { progressOf } from './progress-of.ts';

/** Whether there is anything to wait for. A failure is reported by the progress. */
export const outcomeOf = (object: KubeObject): InternalOutcome => ({
  state: progressOf(object).state === 'succeeded' ? 'done' : 'in progress',
});
