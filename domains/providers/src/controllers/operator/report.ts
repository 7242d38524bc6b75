import { findCondition, type StatedCondition, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** `Terminating`: it is deleted, and serves on until tenants have left. `Uninstalling`: its parts are being removed. */
export type Phase = 'Progressing' | 'Ready' | 'Failed' | 'Terminating' | 'Uninstalling';

/** Sets the phase of a provider. */
export function setPhase(provider: Provider, phase: Phase): void {
  provider.status = { ...provider.status, phase };
}

/** Reports the state of init; the provider is not ready before it has completed. */
export function reportInit(provider: Provider, initialized: Omit<StatedCondition, 'type'>, now: Date): void {
  setCondition(provider, { type: 'Initialized', ...initialized }, now);
  if (initialized.status === 'True') return;
  const hasFailed = initialized.reason === 'InitFailed' || initialized.reason === 'InitJobCreationFailed';
  reportNotInstalled(provider, { hasFailed, message: initialized.message ?? '' }, now);
}

/** Reports that a provider is not installed, or not yet. */
export function reportNotInstalled(
  provider: Provider,
  { hasFailed, message }: { readonly hasFailed: boolean; readonly message: string },
  now: Date,
): void {
  const ready = hasFailed
    ? ({ status: 'False', reason: 'ProviderInstallationFailed' } as const)
    : ({ status: 'Unknown', reason: 'ProviderInstallationPending' } as const);
  setCondition(provider, { type: 'Ready', ...ready, message }, now);
  setPhase(provider, hasFailed ? 'Failed' : 'Progressing');
}

/** Whether the condition has another reason until now, so that an event is due. */
export const isNewReason = (provider: Provider, type: string, reason: string): boolean =>
  findCondition(provider, type)?.reason !== reason;

/** Reports that a provider is ready, with an event when it was not. */
export function reportProviderReady(provider: Provider, deps: Pick<OperatorDeps, 'record'>, now: Date): void {
  if (isNewReason(provider, 'Ready', 'ProviderReady')) {
    const message = `${provider.kind} ${provider.metadata.name} is ready.`;
    deps.record(provider, { type: 'Normal', reason: 'ProviderReady', message });
  }
  setCondition(provider, { type: 'Ready', status: 'True', reason: 'ProviderReady' }, now);
  setPhase(provider, 'Ready');
}
