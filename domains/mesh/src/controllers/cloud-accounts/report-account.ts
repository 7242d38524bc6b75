import type { ChandleryError } from '@chandlery/api';
import { removeCondition, type StatedCondition, type Step, setCondition } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import { dueMs } from '../../model/clouds/poll-schedule.ts';
import { type AccountState, accountIdOf } from './account-states.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';
import { demandOf } from './read-account.ts';

/**
 * Reports whether the account can be read, since when, and how many machines it has, and whether its events are received;
 * reconciles again when the next read is due.
 */
export const reportAccount: Step<CloudAccount, CloudAccountDeps> = (account, deps, { now }) => {
  const { uid = '' } = account.metadata;
  reportEvents(account, deps, now);
  const cloud = deps.cloudOf(account);
  const state = cloud && deps.states.get(uid, accountIdOf(cloud, account.spec));
  if (state === undefined || cloud === undefined) return 'stop';
  const { reading, failure, last } = state;
  // What was read in part only does not have those of the rest.
  if (reading !== undefined && (failure === undefined || account.status?.machines === undefined))
    account.status = { ...account.status, machines: cloud.countMachines(reading.inventory) };
  // Neither: it has not been read since it names another account.
  if (reading !== undefined || failure !== undefined) setCondition(account, describe(state), now);
  // Without credentials nothing is read, whatever is asked for.
  const demand = deps.found.access === undefined ? last.demand : demandOf(account, deps);
  const nextMs = dueMs(last, demand, deps.followers.changedAtMs(uid));
  return { retryAfterMs: Math.max(0, nextMs - now.getTime()) };
};

const eventsReceived = 'EventsReceived';

/** An account without queues of events has no such condition. */
function reportEvents(account: CloudAccount, { followers }: CloudAccountDeps, now: Date): void {
  const { uid = '' } = account.metadata;
  if (!followers.has(uid)) return removeCondition(account, eventsReceived);
  const outcome = followers.outcomeOf(uid);
  if (outcome !== undefined) setCondition(account, describeEvents(outcome), now);
}

function describeEvents({ error }: { readonly error?: ChandleryError }): StatedCondition {
  if (error === undefined) return { type: eventsReceived, status: 'True', reason: 'Receiving' };
  const hint = error.hint === undefined ? '' : ` (${error.hint})`;
  return {
    ...{ type: eventsReceived, status: 'False', reason: error.code },
    message: `events are not received, changes are found by polling: ${error.message}${hint}`,
  };
}

function describe({ failure, reading }: AccountState): StatedCondition {
  if (failure === undefined) return { type: 'Ready', status: 'True', reason: 'Read' };
  const hint = failure.hint === undefined ? '' : ` (${failure.hint})`;
  const places = reading?.unread?.error === failure ? ` in ${shortList(reading.unread.places)}` : '';
  return {
    type: 'Ready',
    status: 'False',
    reason: failure.code,
    message: `the account cannot be read${places}, its last known endpoints are kept: ${failure.message}${hint}`,
  };
}

const shownPlaces = 3;

function shortList(places: readonly string[]): string {
  const more = places.length > shownPlaces ? ` and ${places.length - shownPlaces} more` : '';
  return `${places.slice(0, shownPlaces).join(', ')}${more}`;
}
