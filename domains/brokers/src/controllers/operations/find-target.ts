import { notFound, type SmError } from '../../errors.ts';
import type { InstanceTarget } from '../../model/operations/broker-requests.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import type { BindingRow, BrokerRow, InstanceRow, OperationRow, Registry } from '../../model/rows.ts';
import { brokerInstanceOf } from '../../model/sharing/rows-of-instance.ts';

/** A resource that a broker has to be asked about. */
export interface BrokerResource {
  readonly type: 'found';
  /** The resource of the operation. */
  readonly row: InstanceRow | BindingRow;
  /** Set when the resource is a binding. */
  readonly binding: BindingRow | undefined;
  /** The instance as the broker knows it: the resource, or what the binding hangs on; the shared one for a reference. */
  readonly known: InstanceTarget;
  readonly broker: BrokerRow;
}

/** What an operation is about. */
export type Target =
  | BrokerResource
  /** The row is not there any more. */
  | { readonly type: 'gone' }
  /** No broker knows of it. */
  | { readonly type: 'local'; readonly row: InstanceRow | BindingRow }
  /** What is needed to ask a broker is not there. */
  | { readonly type: 'broken'; readonly row: InstanceRow | BindingRow; readonly error: SmError };

/** Finds out what an operation on an instance or a binding is about. */
export function findTarget(registry: Registry, { spec }: OperationRow): Target {
  if (spec.resourceType === enginePaths.bindings)
    return targetOfBinding(registry, registry.bindings.get(spec.resourceId));
  return targetOfInstance(registry, registry.instances.get(spec.resourceId));
}

function targetOfInstance(registry: Registry, row: InstanceRow | undefined): Target {
  if (row === undefined) return { type: 'gone' };
  const plan = registry.plans.get(planIdOf(row));
  const isReference = row.spec.referencedInstanceId !== undefined || plan?.spec.isReference === true;
  return isReference ? { type: 'local', row } : targetAt(registry, row, { row, binding: undefined });
}

function targetOfBinding(registry: Registry, row: BindingRow | undefined): Target {
  if (row === undefined) return { type: 'gone' };
  const instance = registry.instances.get(row.spec.instanceId);
  // A deleted instance took its bindings with it. An instance of another tenant counts as missing: the spec may name
  // any id.
  if (instance?.tenant !== row.tenant) return { type: 'local', row };
  try {
    return targetAt(registry, brokerInstanceOf(registry, instance), { row, binding: row });
  } catch {
    return { type: 'local', row };
  }
}

function targetAt(
  registry: Registry,
  instance: InstanceRow,
  resource: Pick<BrokerResource, 'row' | 'binding'>,
): Target {
  const plan = registry.plans.get(planIdOf(instance));
  const offering = plan && registry.offerings.get(plan.spec.offeringId);
  const broker = plan && registry.brokers.get(plan.spec.brokerId);
  if (plan === undefined || offering === undefined) {
    return { type: 'broken', row: resource.row, error: notFound('service plan') };
  }
  if (broker === undefined) return { type: 'broken', row: resource.row, error: notFound('service broker') };
  return { type: 'found', ...resource, known: { instance, plan, offering }, broker };
}

/** The plan that the broker knows, or will. */
const planIdOf = ({ spec, status }: InstanceRow): string => status.planId ?? spec.planId ?? '';
