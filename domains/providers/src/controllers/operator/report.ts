import { findCondition, type StatedCondition, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';

export type Phase = 'Progressing' | 'Ready' | 'Uninstalling';

/** Says in one word how far a provider is. */
export function setPhase(provider: Provider, phase: Phase): void {
  provider.status = { ...provider.status, phase };
}

/** Says how far init is, and that the provider cannot be ready before it is through. */
export function reportInit(provider: Provider, initialized: Omit<StatedCondition, 'type'>, now: Date): void {
  setCondition(provider, { type: 'Initialized', ...initialized }, now);
  if (initialized.status === 'True') return;
  const hasFailed = initialized.reason === 'InitFailed' || initialized.reason === 'InitJobCreationFailed';
  reportNotInstalled(provider, { hasFailed, message: initialized.message ?? '' }, now);
}

/** Says that a provider is not installed, or not yet. */
export function reportNotInstalled(
  provider: Provider,
  { hasFailed, message }: { readonly hasFailed: boolean; readonly message: string },
  now: Date,
): void {
  const ready = hasFailed
    ? ({ status: 'False', reason: 'ProviderInstallationFailed' } as const)
    : ({ status: 'Unknown', reason: 'ProviderInstallationPending' } as const);
  setCondition(provider, { type: 'Ready', ...ready, message }, now);
  setPhase(provider, 'Progressing');
}

/** True when the status does not say so yet: the moment for an event. */
export const isNewReason = (provider: Provider, type: string, reason: string): boolean =>
  findCondition(provider, type)?.reason !== reason;
