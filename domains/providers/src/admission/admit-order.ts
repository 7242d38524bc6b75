import type { KubeObject } from '@chandlery/api';
import type { Provider } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

/** A creation of an object of a kind that a provider brought to tenants. */
export interface OrderCreation {
  /** As it is about to be stored. Not changed. */
  readonly object: KubeObject;
  /** Whose kind it is; undefined when there is no such provider any more. */
  readonly provider: Pick<Provider, 'kind' | 'metadata'> | undefined;
}

/** Decides about a new order: a provider that is being removed takes none, whoever asks. Existing ones go on. */
export function admitOrder({ object, provider }: OrderCreation): Admission<KubeObject> {
  if (provider?.metadata.deletionTimestamp === undefined) return { type: 'allow', object };
  const message = `${provider.kind} "${provider.metadata.name}" is being removed and takes no new orders; existing objects can still be changed and deleted. Ask the operator of the landscape what takes its place`;
  return { type: 'deny', message };
}
