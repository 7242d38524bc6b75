import { systemClock } from '@chandlery/platform';
import { type Controller, createController, keyOf, systemTimers } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { AccountStates } from './account-states.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';
import { accountKeyOf, type CloudCaches, resourcesOf } from './cloud-caches.ts';
import type { EventFollowers } from './event-followers.ts';
import { findAccess } from './find-access.ts';
import { followEvents } from './follow-events.ts';
import { readAccount } from './read-account.ts';
import { readSecret } from './read-secret.ts';
import { reportAccount } from './report-account.ts';
import type { CloudControllersOptions } from './start-cloud-controllers.ts';

/** Accounts that are read at the same time. */
const concurrentReads = 4;
/** A large account has many pages, and its requests are paced. */
const readTimeoutMs = 5 * 60_000;
/** Of the whole reconcile, which reports that a read took too long. */
const timeoutMs = readTimeoutMs + 60_000;

export interface AccountControllerOptions extends CloudControllersOptions {
  readonly caches: CloudCaches;
  readonly states: AccountStates;
  readonly followers: EventFollowers;
  readonly onRead: CloudAccountDeps['onRead'];
}

/** Creates the controller that reads CloudAccounts. */
export function createAccountController(options: AccountControllerOptions): Controller {
  const { client, caches, states, followers, onRead, mayUseServerCredentials } = options;
  const { clock = systemClock, timers = systemTimers, random = Math.random } = options;
  const { accounts, secrets, kinds } = caches;
  return createController<CloudAccount, CloudAccountDeps>({
    ...options,
    name: 'cloud-accounts',
    for: { ref: accounts.ref, informer: accounts },
    watches: [
      { informer: secrets, mapToKeys: secret => caches.accountsOf(secret).map(keyOf) },
      ...kinds.map(({ resources: informer }) => ({
        informer,
        mapToKeys: (resource: CloudResource) => [accountKeyOf(resource)],
      })),
    ],
    concurrency: concurrentReads,
    timeoutMs,
    steps: [findAccess, followEvents, readAccount, reportAccount],
    needs: () => ({
      cloudOf: account => caches.kindOf(account)?.cloud,
      resourcesOf: account => {
        const kind = caches.kindOf(account);
        return kind === undefined ? [] : resourcesOf(kind, account);
      },
      readSecret: (namespace, name, signal) => readSecret(client, { namespace, name }, signal),
      ...{ mayUseServerCredentials, states, followers, onRead, clock, random, found: {} },
      ...{ timers, readTimeoutMs },
    }),
  });
}
