import { canonicalJson } from '@chandlery/api';
import type { Step, StepResult } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';

/** Reads the Secret of the account, for the steps that follow. */
export const findAccess: Step<CloudAccount, CloudAccountDeps> = async (
  { metadata: { namespace = '' }, spec },
  { readSecret, found },
  { signal },
): Promise<StepResult> => {
  const { credentialsSecret: name } = spec;
  const secret = name === undefined ? undefined : await readSecret(namespace, name, signal);
  found.access = { secret, key: canonicalJson([spec, secret?.version ?? null]) };
  return 'continue';
};
