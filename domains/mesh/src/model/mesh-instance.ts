import { createHash } from 'node:crypto';
import { validateDnsLabel } from '@chandlery/api';
import { type Listening, type MeshConsumer, ownPlatformId, type ServiceInstance } from '@chandlery/brokers/kinds';
import type { ServiceName } from './service-name.ts';

/** A service instance that takes connections, as a service of a mesh. */
export interface MeshInstance extends Listening {
  /** Its namespace is that of its tenant. */
  readonly service: ServiceName;
  /** `namespace/name` of the ServiceInstance. */
  readonly source: string;
}

/** The tenants whose instances are services of a mesh. */
export interface InstanceSelection {
  /** The namespace of a tenant, or {@link everyTenant}. */
  readonly tenant: string;
  /** Namespaces of the accounts to which its bindings may give access. Default: that of the tenant. */
  readonly namespaces?: readonly string[];
}

export const everyTenant = '*';

const derivedName = /^i-[0-9a-f]{12}$/;

/**
 * Returns the service of an instance: its name where that is unique in its tenant and a DNS label, else a hash of its id.
 * No name leads to the hash of another instance.
 */
export function serviceOfInstance({ metadata, spec }: ServiceInstance): ServiceName {
  const { namespace = '', name: id = '' } = metadata;
  const { name = id, platformId = ownPlatformId } = spec;
  const isOwnName = platformId === ownPlatformId && validateDnsLabel(name).length === 0 && !derivedName.test(name);
  return { namespace, name: isOwnName ? name : `i-${createHash('sha256').update(id).digest('hex').slice(0, 12)}` };
}

/** The selections that apply to a tenant. */
const selectionsOf = (selections: readonly InstanceSelection[], tenant: string): readonly InstanceSelection[] =>
  selections.filter(selection => selection.tenant === tenant || selection.tenant === everyTenant);

/** Whether the instances of a tenant are services of the mesh. */
export const isSelected = (selections: readonly InstanceSelection[], tenant: string): boolean =>
  selectionsOf(selections, tenant).length > 0;

/**
 * Whether bindings of a tenant may give access to an account: only to those in its own namespace, unless the mesh names
 * others. So no tenant adds anything to the configuration of another tenant's proxies.
 */
export const mayConsume = (
  selections: readonly InstanceSelection[],
  { tenant, consumer }: { readonly tenant: string; readonly consumer: Pick<MeshConsumer, 'namespace'> },
): boolean =>
  selectionsOf(selections, tenant).some(({ namespaces = [tenant] }) => namespaces.includes(consumer.namespace));
