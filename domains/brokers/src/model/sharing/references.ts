import { notFound } from '../../errors.ts';
import type { InstanceRow, Registry } from '../rows.ts';

/** The instance that a broker knows: the shared one that a reference stands for, or the instance itself. */
export function brokerInstanceOf(registry: Registry, instance: InstanceRow): InstanceRow {
  const { referencedInstanceId } = instance.spec;
  if (referencedInstanceId === undefined) return instance;
  const shared = registry.instances.get(referencedInstanceId);
  // Whoever may write objects may have written any id: what another tenant has is not there.
  if (shared?.tenant !== instance.tenant) throw notFound('service instance');
  return shared;
}
