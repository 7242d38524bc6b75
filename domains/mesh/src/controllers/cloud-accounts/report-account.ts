import { type StatedCondition, type Step, setCondition } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { AccountState } from './account-states.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';

/**
 * Reports after a read whether the account can be read, since when, and how many machines it has; reconciles again when
 * the next read is due.
 */
export const reportAccount: Step<CloudAccount, CloudAccountDeps> = (account, { cloudOf, states }, { now }) => {
  const state = states.get(account.metadata.uid ?? '');
  const cloud = cloudOf(account);
  if (state === undefined || cloud === undefined) return 'stop';
  const { reading, last } = state;
  if (reading !== undefined) account.status = { ...account.status, machines: cloud.countMachines(reading.inventory) };
  setCondition(account, describe(state), now);
  return { retryAfterMs: Math.max(0, last.nextMs - now.getTime()) };
};

function describe({ failure, reading }: AccountState): StatedCondition {
  if (failure === undefined) return { type: 'Ready', status: 'True', reason: 'Read' };
  const hint = failure.hint === undefined ? '' : ` (${failure.hint})`;
  const regions = reading?.unread?.error === failure ? ` in ${reading.unread.regions.join(', ')}` : '';
  return {
    type: 'Ready',
    status: 'False',
    reason: failure.code,
    message: `the account cannot be read${regions}, its last known endpoints are kept: ${failure.message}${hint}`,
  };
}
