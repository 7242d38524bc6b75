import { type ChandleryError, canonicalJson, toError } from '@chandlery/api';
import type { Step, StepResult } from '@chandlery/runtime';
import { cloudError } from '../../endpoints/clouds/cloud-errors.ts';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import { afterFailure, afterSuccess, dueMs } from '../../model/clouds/poll-schedule.ts';
import type { AccountReader, AccountReading, Cloud, CloudResourceSpec } from '../../ports/clouds.ts';
import type { AccountState } from './account-states.ts';
import type { CloudAccountDeps, ReadSecret } from './cloud-account-deps.ts';

/**
 * Reads the account when it is due: after its pause, or soon after its resources, account or credentials have changed. A
 * failure keeps what was read before.
 */
export const readAccount: Step<CloudAccount, CloudAccountDeps> = async (
  account,
  deps,
  context,
): Promise<StepResult> => {
  const { uid = '' } = account.metadata;
  const { now, signal } = context;
  const cloud = deps.cloudOf(account);
  if (cloud === undefined) return 'continue';
  const before = deps.states.get(uid);
  const secret = await secretOf(account, deps, signal);
  const resources = deps.resourcesOf(account).map(({ spec }) => spec);
  const readerKey = canonicalJson([account.spec, secret?.version ?? null]);
  const questions = new Set(resources.map(spec => canonicalJson(cloud.demandOf(spec))));
  const demand = [readerKey, ...[...questions].sort()].join();
  const leftMs = dueMs(before?.last, demand) - now.getTime();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  const known = before?.readerKey === readerKey ? before.reader : undefined;
  const outcome = await poll({ account, cloud, secret, known, resources, deps, signal });
  signal.throwIfAborted();
  const pause = { demand, nowMs: now.getTime(), pollMs: account.spec.pollSeconds * 1000, random: deps.random() };
  deps.states.set(uid, { ...nextState(before, outcome, { now, pause }), readerKey });
  deps.onRead(account);
  return 'continue';
};

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
  try {
    checkCredentials(account, cloud, secret, deps);
    reader ??= await cloud.connect({ account: account.spec, secret: secret?.entries });
    const reading = await reader.read(resources, signal);
    return { reader, reading, ...(reading.unread && { error: reading.unread.error }) };
  } catch (thrown) {
    return { ...(reader && { reader }), error: toError(thrown) };
  }
}

async function secretOf(
  { metadata: { namespace = '' }, spec: { credentialsSecret } }: CloudAccount,
  { readSecret }: CloudAccountDeps,
  signal: AbortSignal,
): Promise<ReadSecret | undefined> {
  return credentialsSecret === undefined ? undefined : readSecret(namespace, credentialsSecret, signal);
}

/** The credentials of an account are those of its namespace; those of the server need the leave of the operator. */
function checkCredentials(
  { spec, metadata: { namespace } }: CloudAccount,
  cloud: Cloud,
  secret: ReadSecret | undefined,
  { mayUseServerCredentials }: CloudAccountDeps,
): void {
  if (secret !== undefined) return;
  if (spec.credentialsSecret !== undefined) {
    throw cloudError(
      'CloudCredentialsInvalid',
      `there is no Secret "${spec.credentialsSecret}" in namespace "${namespace}"`,
      {
        hint: 'Create it, with the entries that docs/mesh-clouds.md names.',
      },
    );
  }
  const id = `${cloud.name}:${cloud.accountId(spec) ?? ''}`;
  if (mayUseServerCredentials(id)) return;
  throw cloudError('CloudAccountNotAllowed', `the credentials of the server may not be used for "${id}" here`, {
    hint: 'Name a Secret as spec.credentialsSecret, or ask the operator for the setting clouds.serverCredentials.',
  });
}

function nextState(
  before: AccountState | undefined,
  { reader, reading, error }: Polled,
  { now, pause }: { readonly now: Date; readonly pause: Parameters<typeof afterSuccess>[0] },
): Omit<AccountState, 'readerKey'> {
  const kept = reading === undefined ? before : { reading, readAt: now };
  const common = {
    ...(reader && { reader }),
    ...(kept?.reading && { reading: kept.reading }),
    ...(kept?.readAt && { readAt: kept.readAt }),
  };
  if (error === undefined) return { ...common, last: afterSuccess(pause) };
  const failing = { failure: error, failingSince: before?.failingSince ?? now };
  // The other regions are read as often as before.
  if (reading !== undefined) return { ...common, ...failing, last: afterSuccess(pause) };
  const { retryAfterSeconds = 0 } = error.details;
  return {
    ...common,
    ...failing,
    last: afterFailure(before?.last, { ...pause, retryAfterMs: retryAfterSeconds * 1000 }),
  };
}
