import { isDeleting, type StepContext, type StepResult } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { readInit } from '../../model/operator/init-state.ts';
import { missingKinds, resourcesOf } from '../../model/operator/own-kinds.ts';
import type { OperatorNeeds } from './needs.ts';

/**
 * Answers a request for a pass: an init that failed, or whose kinds have gone, is run again. Taking the annotation
 * `reconcile` away is a write of its own, which the pass that was asked for follows.
 */
export async function heedOperation(
  provider: Provider,
  needs: OperatorNeeds,
  { isRequested, now }: StepContext,
): Promise<StepResult> {
  const { annotations } = provider.metadata;
  const isAsked = annotations?.[providerNames.operationAnnotation] === 'reconcile';
  if (!isAsked && !isRequested) return 'continue';
  if (!isDeleting(provider) && mustInitAgain(provider, needs, now)) await needs.removeJob(provider);
  if (!isAsked) return 'continue';
  delete annotations?.[providerNames.operationAnnotation];
  return 'stop';
}

function mustInitAgain(provider: Provider, needs: OperatorNeeds, now: Date): boolean {
  const { type } = readInit(provider, needs.findJob(provider), now);
  if (type === 'failed') return true;
  return type === 'succeeded' && missingKinds(resourcesOf(provider), needs.onboardingDefinitions()).length > 0;
}
