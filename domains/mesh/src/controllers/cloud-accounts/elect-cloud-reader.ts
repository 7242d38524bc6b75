import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Logger, untilAborted } from '@chandlery/platform';
import { createInformer, createLeaseElector, type LeaseTimingOptions } from '@chandlery/runtime';
import { type CloudAccount, cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import { type CloudControllersOptions, startCloudControllers } from './start-cloud-controllers.ts';

export interface CloudReaderOptions extends CloudControllersOptions {
  /** The cluster of the accounts. */
  readonly cluster: string;
  /** Client of the platform cluster, which has the leases. Not disposed of. */
  readonly platform: Client;
  /** Unique name of this process. */
  readonly replica: string;
  readonly logger: Logger;
  /** Default: {@link timing}. */
  readonly timing?: LeaseTimingOptions;
}

const leaseNamespace = 'kube-system';

/** Each renewal is a write, and another replica has the last endpoints: longer than for the leases of controllers. */
const timing: LeaseTimingOptions = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 10_000 };

/**
 * Runs the controllers of a cluster's CloudAccounts in one replica of those that have its mesh open, so that each account
 * is polled once. Takes part in the election from the first account; a cluster without accounts costs no lease.
 */
export function electCloudReader(options: CloudReaderOptions): AsyncDisposable {
  const { client, platform, cluster, replica, logger } = options;
  const stack = new AsyncDisposableStack();
  const accounts = stack.use(
    createInformer<CloudAccount>({ client, ref: cloudAccounts.ref, transform: withoutContent }),
  );
  const elector = stack.use(
    createLeaseElector({
      ...(options.timing ?? timing),
      client: platform,
      namespace: leaseNamespace,
      name: `chandlery-mesh-clouds-${cluster}`,
      identity: replica,
      lead: async ({ signal }) => {
        await using _controllers = startCloudControllers(options);
        await untilAborted(signal);
      },
      onError: error =>
        logger.warn('electing the reader of cloud accounts failed, will be tried again', {
          cluster,
          error: toError(error).message,
        }),
    }),
  );
  accounts.listen({ added: () => elector.start() });
  accounts.start();
  return stack;
}

function withoutContent({ apiVersion, kind, metadata, spec }: CloudAccount): CloudAccount {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, spec };
}
