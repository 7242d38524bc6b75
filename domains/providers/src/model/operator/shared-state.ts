import type { KubeObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';

/** How what all tenants of a provider share is, as the status of its configuration tells. */
export type SharedState =
  /** There is no configuration, or it says nothing: the provider has nothing that is shared. */
  { readonly type: 'untold' } | { readonly type: 'ready' } | { readonly type: 'unready'; readonly message: string };

/** Reads the condition `Ready` of the configurations that bear the provider's name. */
export function readShared(configs: readonly KubeObject[]): SharedState {
  const reported = configs.filter(config => findCondition(config, 'Ready') !== undefined);
  const unready = reported.find(config => findCondition(config, 'Ready')?.status !== 'True');
  if (unready === undefined) return { type: reported.length === 0 ? 'untold' : 'ready' };
  const { reason = '', message = '' } = findCondition(unready, 'Ready') ?? {};
  const why = message === '' ? reason : message;
  return { type: 'unready', message: `${unready.kind} "${unready.metadata.name}" is not ready: ${why}` };
}
