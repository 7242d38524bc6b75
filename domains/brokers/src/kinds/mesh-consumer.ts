import { isJsonObject } from '@chandlery/api';
import { ownPlatformId } from './common.ts';
import type { ServiceBinding } from './service-binding.ts';

/** The service account that a binding gives access to its instance. */
export interface MeshConsumer {
  readonly namespace: string;
  readonly name: string;
  /** The cluster of the account. Default: any cluster of the mesh. */
  readonly cluster?: string;
}

/** The field of `bind_resource` with the consuming account: `namespace/name`, or `name` in the namespace of the context. */
export const consumerField = 'service_account';

/** The field of `bind_resource` with the cluster of the consuming account. */
export const consumerClusterField = 'cluster';

/**
 * Returns the service account that a binding names in `bind_resource`; undefined when it names none, or an invalid one. A
 * name without a namespace is in the namespace that the platform's context names, and for bindings that were made here in
 * the tenant's.
 */
export function consumerOf({ metadata, spec, status }: ServiceBinding): MeshConsumer | undefined {
  const resource = isJsonObject(spec.bindResource) ? spec.bindResource : {};
  const account = resource[consumerField];
  const cluster = resource[consumerClusterField];
  if (typeof account !== 'string') return undefined;
  const context = isJsonObject(status?.context) ? status.context : {};
  const [first = '', second, more] = account.split('/');
  const own = second === undefined ? (namespaceOf(context) ?? metadata.namespace ?? '') : first;
  const name = second ?? first;
  if (own === '' || name === '' || more !== undefined) return undefined;
  return { namespace: own, name, ...(typeof cluster === 'string' && cluster !== '' && { cluster }) };
}

/** Contexts of the service manager's own platform name no namespace of a cluster. */
function namespaceOf({ platform, namespace }: Readonly<Record<string, unknown>>): string | undefined {
  return platform !== ownPlatformId && typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
}
