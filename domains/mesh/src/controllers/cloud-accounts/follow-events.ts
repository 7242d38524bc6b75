import type { Step } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import { checkCredentials } from './check-credentials.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';

/** Follows the queues of events that the account names, from its first reconcile until it is changed or deleted. */
export const followEvents: Step<CloudAccount, CloudAccountDeps> = (account, deps) => {
  const { followers, found } = deps;
  const { uid = '', deletionTimestamp } = account.metadata;
  const cloud = deps.cloudOf(account);
  const queues = cloud?.eventQueuesOf(account.spec) ?? [];
  if (cloud === undefined || found.access === undefined || queues.length === 0 || deletionTimestamp !== undefined) {
    followers.stop(uid);
    return 'continue';
  }
  const { secret, key } = found.access;
  followers.follow(account, {
    ...{ key, cloud: cloud.name, queues: queues.length },
    open: async () => {
      for (const queue of queues) checkCredentials(account, queue, { ...deps, secret });
      return cloud.connectEvents({ account: account.spec, secret: secret?.entries });
    },
  });
  return 'continue';
};
