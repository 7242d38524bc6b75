import type { KubeObject } from '@chandlery/api';
import { findCondition, isDeleting } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';

interface JobStatus {
  readonly failed?: number;
}

/** The state of a provider's init job. */
export type InitState =
  | { readonly type: 'absent' }
  /** It is being deleted. */
  | { readonly type: 'leaving' }
  /** It was created for another generation, or for an earlier provider of the same name. */
  | { readonly type: 'outdated' }
  /** `failures`: the number of failed pods. */
  | { readonly type: 'running'; readonly failures: number }
  | { readonly type: 'succeeded' }
  /** Finally: the job does not retry by itself. */
  | { readonly type: 'failed'; readonly because: string; readonly failedAt: Date };

/** Reads the state of init from its job. */
export function readInit(provider: Provider, job: KubeObject | undefined, now: Date): InitState {
  if (job === undefined) return { type: 'absent' };
  if (isDeleting(job)) return { type: 'leaving' };
  if (!isFor(job, provider)) return { type: 'outdated' };
  const failed = findCondition(job, 'Failed');
  if (failed?.status === 'True') {
    const because = [failed.reason, failed.message].filter(Boolean).join(': ') || 'the job gives no reason';
    return { type: 'failed', because, failedAt: timeOf(failed.lastTransitionTime) ?? now };
  }
  if (findCondition(job, 'Complete')?.status === 'True') return { type: 'succeeded' };
  return { type: 'running', failures: (job['status'] as JobStatus | undefined)?.failed ?? 0 };
}

/** Whether the job was created for this provider, by uid. */
export const isJobOf = (job: KubeObject, provider: Provider): boolean =>
  job.metadata.ownerReferences?.some(({ uid }) => uid === provider.metadata.uid) ?? false;

const isFor = (job: KubeObject, provider: Provider): boolean =>
  isJobOf(job, provider) &&
  job.metadata.annotations?.[providerNames.providerGenerationAnnotation] === String(provider.metadata.generation ?? 0);

/** Whether the status shows that init failed for this generation: a retry does not hide it. */
export function isFailureShown(provider: Provider): boolean {
  const shown = findCondition(provider, 'Initialized');
  return shown?.reason === 'InitFailed' && shown.observedGeneration === provider.metadata.generation;
}

const firstPauseMs = 5 * 60_000;
const maxPauseMs = 24 * 3_600_000;

/** The delay before init is retried: as long as it has been failing, which doubles the interval without a counter. */
export function pauseBeforeRetryMs(provider: Provider, failedAt: Date, now: Date): number {
  const shown = findCondition(provider, 'Initialized');
  const failingSince = (shown?.status === 'False' ? timeOf(shown.lastTransitionTime) : undefined) ?? failedAt;
  const failingMs = failedAt.getTime() - failingSince.getTime();
  const pauseMs = Math.min(Math.max(failingMs, firstPauseMs), maxPauseMs);
  return Math.max(0, failedAt.getTime() + pauseMs - now.getTime());
}

function timeOf(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
