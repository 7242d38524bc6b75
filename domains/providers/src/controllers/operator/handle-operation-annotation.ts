import { isDeleting, type StepContext, type StepResult } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { readInit } from '../../model/operator/init-state.ts';
import { missingKinds, resourcesOf } from '../../model/operator/own-kinds.ts';
import type { OperatorDeps } from './operator-deps.ts';

/**
 * Handles a requested reconcile: an init that failed, or whose kinds are deleted, runs again. Removing the annotation
 * `reconcile` is a write of its own, which causes the requested reconcile.
 */
export async function handleOperationAnnotation(
  provider: Provider,
  deps: OperatorDeps,
  { isRequested, now }: StepContext,
): Promise<StepResult> {
  const { annotations } = provider.metadata;
  const isAsked = annotations?.[providerNames.operationAnnotation] === 'reconcile';
  if (!isAsked && !isRequested) return 'continue';
  if (!isDeleting(provider) && mustInitAgain(provider, deps, now)) await deps.removeJob(provider);
  if (!isAsked) return 'continue';
  delete annotations?.[providerNames.operationAnnotation];
  return 'stop';
}

function mustInitAgain(provider: Provider, deps: OperatorDeps, now: Date): boolean {
  const { type } = readInit(provider, deps.findJob(provider), now);
  if (type === 'failed') return true;
  return type === 'succeeded' && missingKinds(resourcesOf(provider), deps.onboardingDefinitions()).length > 0;
}
