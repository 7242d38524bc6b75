import type { KubeObject } from '@chandlery/api';
import type { Provider } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

/** A creation of an object of a kind that a provider serves to tenants. */
export interface OrderCreation {
  /** The object to be stored. Not changed. */
  readonly object: KubeObject;
  /** The provider of the kind; undefined when it does not exist any more. */
  readonly provider: Pick<Provider, 'kind' | 'metadata'> | undefined;
}

/**
 * Admits a new service object: a provider that is being removed accepts none, from any client. Existing ones continue.
 */
export function admitOrder({ object, provider }: OrderCreation): Admission<KubeObject> {
  if (provider?.metadata.deletionTimestamp === undefined) return { type: 'allow', object };
  const message = `${provider.kind} "${provider.metadata.name}" is being removed and takes no new orders; existing objects can still be changed and deleted. Ask the operator of the landscape what takes its place`;
  return { type: 'deny', message };
}
