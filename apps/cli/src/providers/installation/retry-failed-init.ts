import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, ignoreNotFound } from '@chandlery/runtime';
import { partSelector } from '../provider-pods.ts';

interface Job extends KubeObject {
  readonly status?: { readonly failed?: number; readonly succeeded?: number };
}

const jobs = { group: 'batch', version: 'v1', plural: 'jobs', namespace: systemNamespace };
const pauseMs = 250;

/**
 * Runs an init again that has failed for the stored generation: the program may have been mended meanwhile. The failure
 * stays in the status until init succeeds, so its job is followed. Returns whether it has succeeded.
 */
export async function retryFailedInit(platform: Client, provider: Provider, signal: AbortSignal): Promise<boolean> {
  const { reason, observedGeneration } = findCondition(provider, 'Initialized') ?? {};
  const { name = '', generation } = provider.metadata;
  if (reason !== 'InitFailed' || observedGeneration !== generation) return false;
  const labelSelector = partSelector({ kind: serviceProviders.kind, metadata: { name } }, 'init');
  const find = async (): Promise<Job | undefined> => (await platform.list<Job>(jobs, { labelSelector })).items[0];
  const before = await find();
  if (before !== undefined) {
    const at = { ...jobs, name: before.metadata.name ?? '' };
    await platform.delete(at, { propagationPolicy: 'Background' }).catch(ignoreNotFound);
  }
  for (;;) {
    const job = await find();
    const { failed = 0, succeeded = 0 } = (job?.metadata.uid !== before?.metadata.uid && job?.status) || {};
    if (failed > 0 || succeeded > 0) return succeeded > 0;
    await sleep(pauseMs, undefined, { signal });
  }
}
