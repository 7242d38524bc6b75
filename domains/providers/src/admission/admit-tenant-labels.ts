import type { KubeObject } from '@chandlery/api';
import type { User } from '../model/tenants/members.ts';
import { tenantLabels } from '../model/tenants/tenant-place.ts';
import type { Admission } from './admit-tenant.ts';

/** A write of a namespace. */
export interface NamespaceWrite {
  /** The object to be stored. Not changed. */
  readonly object: KubeObject;
  /** The stored object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  readonly user: User;
}

/** The landscape itself and its operators. */
const masters = 'system:masters';

/**
 * Admits a write of a namespace: only the landscape may set, change or remove the labels that assign it to a tenant. A
 * client that could change them could expose the namespace in the API of another tenant.
 */
export function admitTenantLabels({ object, live, user }: NamespaceWrite): Admission<KubeObject> {
  const [now = {}, before = {}] = [object.metadata.labels, live?.metadata.labels];
  const changed = Object.values(tenantLabels).find(label => now[label] !== before[label]);
  if (changed === undefined || user.groups.includes(masters)) return { type: 'allow', object };
  const message = `the label "${changed}" says which tenant the namespace belongs to and is set by the landscape alone; leave it as it is`;
  return { type: 'deny', message };
}
