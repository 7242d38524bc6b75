import { setTimeout as sleep } from 'node:timers/promises';
import { formatMicroTime, isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { shorten, systemNamespace } from '@chandlery/clusters/kinds';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { livenessLeaseOf, type Provider, providerNames, serviceProviders } from '@chandlery/providers/kinds';
import { apply, findCondition } from '@chandlery/runtime';
import { fieldManagerOf } from '../model/names.ts';

export interface LivenessOptions {
  /** The provider's name. */
  readonly provider: string;
  readonly platform: Client;
  /** What the process is called, such as its host. */
  readonly identity: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Default: reports every 10 seconds. */
  readonly intervalMs?: number;
}

const intervalMs = 10_000;
/** The landscape misses a process after three reports that do not come. */
const missedAfter = 4;

/** Whether the landscape runs the init job and the run part itself, as its operator says; undefined before it does. */
function runsElsewhere(provider: Provider): boolean | undefined {
  const { reason } = findCondition(provider, 'Initialized') ?? {};
  if (reason === 'NoNode' || reason === 'InitializedElsewhere') return true;
  return reason === undefined ? undefined : false;
}

const readProvider = ({ provider, platform }: Pick<LivenessOptions, 'provider' | 'platform'>): Promise<Provider> =>
  platform.get<Provider>({ ...serviceProviders.ref, name: provider });

/**
 * Announces at the first init that processes of the provider will report, where the landscape does not run them: until
 * then none runs.
 */
export async function announceLiveness(options: Pick<LivenessOptions, 'provider' | 'platform'>): Promise<void> {
  const { reason } = findCondition(await readProvider(options), 'Initialized') ?? {};
  if (reason === 'NoNode') await writeLease(options, { holderIdentity: '' });
}

/**
 * Reports by a Lease that the provider runs, where the landscape does not run it and could not know. Elsewhere nothing
 * is written. Disposing of it reports the end.
 */
export function reportLiveness(options: LivenessOptions): AsyncDisposable {
  const stop = new AbortController();
  const ended = report(options, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

async function report(options: LivenessOptions, signal: AbortSignal): Promise<void> {
  const { identity, logger, clock = systemClock, intervalMs: pauseMs = intervalMs } = options;
  const leaseDurationSeconds = Math.ceil((missedAfter * pauseMs) / 1000);
  let hasReported = false;
  while (!signal.aborted) {
    try {
      const isElsewhere = runsElsewhere(await readProvider(options));
      if (isElsewhere === false) return;
      const renewTime = formatMicroTime(clock.now());
      if (isElsewhere) await writeLease(options, { holderIdentity: identity, leaseDurationSeconds, renewTime });
      hasReported ||= isElsewhere === true;
    } catch (error) {
      if (isError(error, 'NotFound')) return;
      logger.warn('cannot report that the provider runs', { error });
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  if (hasReported) await writeLease(options, { holderIdentity: '' }).catch(() => undefined);
}

async function writeLease(
  { provider, platform }: Pick<LivenessOptions, 'provider' | 'platform'>,
  spec: { readonly holderIdentity: string; readonly leaseDurationSeconds?: number; readonly renewTime?: string },
): Promise<void> {
  const lease: KubeObject = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: livenessLeaseOf(provider),
      namespace: systemNamespace,
      labels: { [providerNames.managedByLabel]: shorten(provider) },
    },
    spec,
  };
  await apply(platform, fieldManagerOf(provider), [{ plural: 'leases', object: lease }]);
}
