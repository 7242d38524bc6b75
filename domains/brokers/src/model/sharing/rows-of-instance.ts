import { notFound } from '../../errors.ts';
import type { BindingRow, InstanceRow, Registry } from '../rows.ts';

/** The identity of an instance. The id alone is unchecked user input in other objects. */
type Named = Pick<InstanceRow, 'id' | 'tenant'>;

/**
 * What stands for an instance in the indexes `instance` and `reference`. The tenant is part of it, so that an object which
 * names another tenant's instance is never found with that instance.
 */
export const instanceTerm = ({ tenant, id }: Named): string => `${tenant}/${id}`;

/** The bindings of an instance. */
export const bindingsOf = (registry: Registry, instance: Named): BindingRow[] => [
  ...registry.bindings.by('instance', instanceTerm(instance)),
];

/** How many they are. */
export const countBindings = (registry: Registry, instance: Named): number =>
  registry.bindings.count('instance', instanceTerm(instance));

/** The references to a shared instance, on whichever platform. */
export const referencesOf = (registry: Registry, instance: Named): InstanceRow[] => [
  ...registry.instances.by('reference', instanceTerm(instance)),
];

/** The instance that a broker knows: the shared one that a reference stands for, or the instance itself. */
export function brokerInstanceOf(registry: Registry, instance: InstanceRow): InstanceRow {
  const { referencedInstanceId } = instance.spec;
  if (referencedInstanceId === undefined) return instance;
  const shared = registry.instances.get(referencedInstanceId);
  // The id is unchecked user input: an instance of another tenant counts as missing.
  if (shared?.tenant !== instance.tenant) throw notFound('service instance');
  return shared;
}
