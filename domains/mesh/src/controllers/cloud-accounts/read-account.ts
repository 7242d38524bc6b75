import { isDeepStrictEqual } from 'node:util';
import { type ChandleryError, canonicalJson, toError } from '@chandlery/api';
import type { Step, StepResult } from '@chandlery/runtime';
import { cloudError } from '../../endpoints/clouds/cloud-errors.ts';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import { afterFailure, afterSuccess, dueMs } from '../../model/clouds/poll-schedule.ts';
import type { AccountReader, AccountReading, Cloud, CloudResourceSpec } from '../../ports/clouds.ts';
import { type AccountState, accountIdOf } from './account-states.ts';
import { checkCredentials } from './check-credentials.ts';
import type { CloudAccountDeps, ReadSecret } from './cloud-account-deps.ts';

/**
 * Reads the account when it is due: after its pause, or soon after its resources, account or credentials have changed, or
 * an event of its cloud has come. A failure keeps what was read before.
 */
export const readAccount: Step<CloudAccount, CloudAccountDeps> = async (
  account,
  deps,
  context,
): Promise<StepResult> => {
  const { uid = '' } = account.metadata;
  const { now, signal } = context;
  const cloud = deps.cloudOf(account);
  const { access } = deps.found;
  if (cloud === undefined || access === undefined) return 'continue';
  const id = accountIdOf(cloud, account.spec);
  const before = deps.states.get(uid, id);
  const resources = deps.resourcesOf(account).map(({ spec }) => spec);
  const demand = demandOf(account, deps);
  if (dueMs(before?.last, demand, deps.followers.changedAtMs(uid)) > now.getTime()) return 'continue';
  const known = before?.readerKey === access.key ? before.reader : undefined;
  const outcome = await poll({ account, cloud, secret: access.secret, known, resources, deps, signal });
  signal.throwIfAborted();
  const times = { nowMs: now.getTime(), endMs: deps.clock.now().getTime() };
  const pause = { demand, ...times, pollMs: account.spec.pollSeconds * 1000, random: deps.random() };
  const isUnchanged = isSameReading(before, outcome);
  const polled = isUnchanged && before?.reading ? { ...outcome, reading: before.reading } : outcome;
  deps.states.set(uid, {
    ...nextState(before, polled, { now, pause }),
    ...{ account: id, readerKey: access.key },
  });
  if (!isUnchanged) deps.onRead(account);
  return 'continue';
};

/** What is asked of an account now: with which credentials, and what its resources need to know. */
export function demandOf(account: CloudAccount, { cloudOf, found, resourcesOf }: CloudAccountDeps): string {
  const cloud = cloudOf(account);
  const questions = new Set(resourcesOf(account).map(({ spec }) => canonicalJson(cloud?.demandOf(spec) ?? null)));
  return [found.access?.key, ...[...questions].sort()].join();
}

/** Whether a poll has shown what the last one has: then resources have nothing to do. */
const isSameReading = (before: AccountState | undefined, { reading, error }: Polled): boolean =>
  before?.reading !== undefined &&
  before.failure === undefined &&
  error === undefined &&
  isDeepStrictEqual(before.reading.inventory, reading?.inventory);

interface PollInput {
  readonly account: CloudAccount;
  readonly cloud: Cloud;
  readonly secret: ReadSecret | undefined;
  readonly known: AccountReader<unknown> | undefined;
  readonly resources: readonly CloudResourceSpec[];
  readonly deps: CloudAccountDeps;
  readonly signal: AbortSignal;
}

interface Polled {
  readonly reader?: AccountReader<unknown>;
  readonly reading?: AccountReading<unknown>;
  readonly error?: ChandleryError;
}

async function poll({ account, cloud, secret, known, resources, deps, signal }: PollInput): Promise<Polled> {
  let reader = known;
  using limit = limitRead(deps);
  try {
    checkCredentials(account, accountIdOf(cloud, account.spec), { ...deps, secret });
    reader ??= await cloud.connect({ account: account.spec, secret: secret?.entries });
    const reading = await reader.read(resources, AbortSignal.any([signal, limit.signal]));
    return { reader, reading, ...(reading.unread && { error: reading.unread.error }) };
  } catch (thrown) {
    return { ...(reader && { reader }), error: toError(thrown) };
  }
}

/** Ends a read with an error of the account, whose endpoints are said to be old then. */
function limitRead({ timers, readTimeoutMs }: CloudAccountDeps) {
  const abort = new AbortController();
  const minutes = readTimeoutMs / 60_000;
  const cancel = timers.after(readTimeoutMs, () =>
    abort.abort(cloudError('CloudUnreachable', `it takes more than ${minutes} minutes to read the account`)),
  );
  return { signal: abort.signal, [Symbol.dispose]: cancel };
}

function nextState(
  before: AccountState | undefined,
  { reader, reading, error }: Polled,
  { now, pause }: { readonly now: Date; readonly pause: Parameters<typeof afterSuccess>[0] },
): Omit<AccountState, 'account' | 'readerKey'> {
  const kept = reading === undefined ? before : { reading, readAt: now };
  const common = {
    ...(reader && { reader }),
    ...(kept?.reading && { reading: kept.reading }),
    ...(kept?.readAt && { readAt: kept.readAt }),
  };
  if (error === undefined) return { ...common, last: afterSuccess(pause) };
  const failing = { failure: error, failingSince: before?.failingSince ?? now };
  const { retryAfterSeconds = 0 } = error.details;
  const later = { ...pause, retryAfterMs: retryAfterSeconds * 1000 };
  // What could be read is read as often as before.
  const last = reading === undefined ? afterFailure(before?.last, later) : afterSuccess(later);
  return { ...common, ...failing, last };
}
