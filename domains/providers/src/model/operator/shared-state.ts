import type { KubeObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';

/** The state of what all tenants of a provider share, from the status of its configuration. */
export type SharedState =
  /** There is no configuration, or it has no condition: the provider shares nothing. */
  { readonly type: 'untold' } | { readonly type: 'ready' } | { readonly type: 'unready'; readonly message: string };

/** Reads the condition `Ready` of the configurations with the provider's name. */
export function readShared(configs: readonly KubeObject[]): SharedState {
  const reported = configs.filter(config => findCondition(config, 'Ready') !== undefined);
  const unready = reported.find(config => findCondition(config, 'Ready')?.status !== 'True');
  if (unready === undefined) return { type: reported.length === 0 ? 'untold' : 'ready' };
  const { reason = '', message = '' } = findCondition(unready, 'Ready') ?? {};
  const why = message === '' ? reason : message;
  return { type: 'unready', message: `${unready.kind} "${unready.metadata.name}" is not ready: ${why}` };
}
