import { smError } from '../../../errors.ts';
import { ownPlatformId } from '../../../kinds/index.ts';
import type { InstanceRow, Registry } from '../../../model/rows.ts';
import { instanceTerm } from '../../../model/sharing/rows-of-instance.ts';

/** Throws `Conflict` when another instance of the tenant that was made here has the name. */
export function checkInstanceName(
  registry: Registry,
  name: string,
  { tenant, except }: { readonly tenant: string; readonly except?: string },
): void {
  const { rows } = registry.instances.query({
    where: [
      { index: 'name', values: [name] },
      { index: 'tenant', values: [tenant] },
      { index: 'platformId', values: [ownPlatformId] },
    ],
  });
  const ids = rows.map(row => row.id).filter(id => id !== except);
  if (ids.length > 0) throw smError('Conflict', 'found conflicting service instance', { ids, field: 'name' });
}

/** Throws `Conflict` when another binding of the instance has the name. */
export function checkBindingName(
  registry: Registry,
  name: string,
  { instance, except }: { readonly instance: Pick<InstanceRow, 'id' | 'tenant'>; readonly except?: string },
): void {
  const { rows } = registry.bindings.query({
    where: [
      { index: 'name', values: [name] },
      { index: 'instance', values: [instanceTerm(instance)] },
    ],
  });
  const ids = rows.map(row => row.id).filter(id => id !== except);
  if (ids.length > 0) throw smError('Conflict', 'found conflicting service binding', { ids, field: 'name' });
}
