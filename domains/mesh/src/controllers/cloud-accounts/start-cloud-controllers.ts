import type { Client } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { keyOf, systemTimers, type Timers } from '@chandlery/runtime';
import type { Cloud } from '../../ports/clouds.ts';
import { createResourceController } from '../cloud-resources/create-resource-controller.ts';
import { AccountStates } from './account-states.ts';
import type { CloudAccountDeps } from './cloud-account-deps.ts';
import { createCloudCaches, resourcesOf } from './cloud-caches.ts';
import { createAccountController } from './create-account-controller.ts';
import { EventFollowers, type EventFollowersOptions } from './event-followers.ts';

export interface CloudControllersOptions {
  /** Client of the cluster of the accounts. Not disposed of. */
  readonly client: Client;
  readonly clouds: readonly Cloud[];
  /** See `CloudAccountDeps`. */
  readonly mayUseServerCredentials: CloudAccountDeps['mayUseServerCredentials'];
  /** See `EventFollowersOptions`. Default: not called. */
  readonly onEvents?: EventFollowersOptions['onEvents'];
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: that of the machine. */
  readonly clock?: Clock;
  /** Default: those of the process. */
  readonly timers?: Timers;
  /** From 0 up to but not 1. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Starts the controllers of one cluster: they read its CloudAccounts, and maintain EndpointSets for the resources of all
 * clouds. One process of a landscape runs them.
 */
export function startCloudControllers(options: CloudControllersOptions): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const caches = stack.use(createCloudCaches(options.client, options.clouds));
  const states = new AccountStates();
  const followers = stack.use(
    new EventFollowers({
      ...{ clock: systemClock, timers: systemTimers, random: Math.random, logger: silentLogger },
      ...{ onEvents: () => {}, ...options, enqueue: key => ofAccounts.enqueue(key) },
    }),
  );
  caches.accounts.listen({
    deleted: ({ metadata: { uid = '' } }) => {
      states.delete(uid);
      followers.stop(uid);
    },
  });
  const ofResources = caches.kinds.map(kind => ({
    kind,
    controller: stack.use(createResourceController({ ...options, caches, kind, states })),
  }));
  const ofAccounts = stack.use(
    createAccountController({
      ...{ ...options, caches, states, followers },
      onRead: account => {
        const kind = caches.kindOf(account);
        const controller = ofResources.find(each => each.kind === kind)?.controller;
        if (kind && controller) for (const resource of resourcesOf(kind, account)) controller.enqueue(keyOf(resource));
      },
    }),
  );
  for (const { controller } of ofResources) controller.start();
  ofAccounts.start();
  return stack;
}
