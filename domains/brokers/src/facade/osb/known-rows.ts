import { notFound, smError } from '../../errors.ts';
import { isPlanVisible } from '../../model/catalog/is-plan-visible.ts';
import { lastOperationOf } from '../../model/operations/last-operation.ts';
import { enginePaths, isOpen } from '../../model/operations/operation-state.ts';
import type { InstanceAndRest } from '../../model/operations/track-delete.ts';
import type {
  BindingRow,
  BrokerRow,
  InstanceRow,
  OperationRow,
  PlanRow,
  PlatformRow,
  Registry,
} from '../../model/rows.ts';
import { platformOf } from '../../model/sharing/owner.ts';
import { bindingsOf } from '../../model/sharing/rows-of-instance.ts';
import type { BindingCall, InstanceCall } from './osb-call.ts';

/** The instance of a call; undefined when we have never seen it. Throws `NotFound` for one that is not the platform's. */
export function ownInstance(registry: Registry, call: InstanceCall | BindingCall): InstanceRow | undefined {
  const instance = registry.instances.get(call.route.instanceId);
  if (instance === undefined) return undefined;
  checkOwner(instance, call.platform);
  const plan = registry.plans.get(instance.spec.planId ?? '');
  if (plan !== undefined && plan.spec.brokerId !== call.broker.id) throw notFound('service instance');
  return instance;
}

/** Throws `NotFound` when the instance belongs to another platform: who asks must not learn that it exists. */
export function checkOwner(instance: InstanceRow, platform: PlatformRow): void {
  if (platformOf(instance) !== platform.id) throw notFound('service instance');
}

/** The binding of a call; undefined when we have never seen it. Throws for one that is not of the call's instance. */
export function ownBinding(registry: Registry, call: BindingCall): BindingRow | undefined {
  const { instanceId, bindingId } = call.route;
  const binding = registry.bindings.get(bindingId);
  if (binding === undefined || binding.spec.instanceId === instanceId) return binding;
  const owner = registry.instances.get(binding.spec.instanceId);
  const isOwn = owner !== undefined && platformOf(owner) === call.platform.id;
  if (isOwn && call.method === 'PUT') throw smError('Conflict', 'another instance has a service binding with this id');
  throw notFound('service binding');
}

/** The plan that a platform names by the broker's ids. Throws `BadRequest` for ids that are not in the broker's catalog. */
export function findCatalogPlan(
  registry: Registry,
  broker: BrokerRow,
  { serviceId, planId }: { readonly serviceId: string; readonly planId: string },
): PlanRow {
  for (const plan of registry.plans.by('catalogId', planId)) {
    if (plan.spec.brokerId !== broker.id) continue;
    if (registry.offerings.get(plan.spec.offeringId)?.spec.catalogId === serviceId) return plan;
  }
  checkService(registry, broker, serviceId);
  throw smError('BadRequest', '"plan_id" names no plan of this service', { field: 'plan_id' });
}

/** Throws `BadRequest` when the broker's catalog has no such service. */
export function checkService(registry: Registry, broker: BrokerRow, serviceId: string): void {
  for (const { spec } of registry.offerings.by('catalogId', serviceId)) {
    if (spec.brokerId === broker.id) return;
  }
  throw smError('BadRequest', '"service_id" names no service of this broker', { field: 'service_id' });
}

/** Throws `ServicePlanNotFound` unless the platform may make instances of the plan. */
export function checkVisible(
  registry: Registry,
  plan: PlanRow,
  platform: PlatformRow,
  organizationGuid: unknown,
): void {
  const organization = typeof organizationGuid === 'string' ? { organizationGuid } : {};
  if (isPlanVisible(registry, plan, platform, organization)) return;
  throw smError('ServicePlanNotFound', 'could not find such service plan');
}

/** The operation in progress on an instance, if there is one. */
export const openInstanceOperation = (registry: Registry, id: string): OperationRow | undefined =>
  openOnly(lastOperationOf(registry, enginePaths.instances, id));

/** The same for a binding. */
export const openBindingOperation = (registry: Registry, id: string): OperationRow | undefined =>
  openOnly(lastOperationOf(registry, enginePaths.bindings, id));

/** The open deletion that a platform has begun on a resource without a row. */
export function openUnknownDeletion(
  registry: Registry,
  { platform, resourceType, resourceId }: UnknownResource,
): OperationRow | undefined {
  for (const operation of registry.operations.by('resourceId', resourceId)) {
    const { spec } = operation;
    const isMeant = spec.isOfUnknown === true && spec.resourceType === resourceType && spec.platformId === platform.id;
    if (isMeant && isOpen(operation)) return operation;
  }
  return undefined;
}

/** What a platform speaks of. Others may use the same id for something else. */
export interface UnknownResource {
  readonly platform: PlatformRow;
  readonly resourceType: string;
  readonly resourceId: string;
}

const openOnly = (operation: OperationRow | undefined): OperationRow | undefined =>
  operation !== undefined && isOpen(operation) ? operation : undefined;

/** An instance and all that ends with it. */
export function withRest(registry: Registry, instance: InstanceRow): InstanceAndRest {
  const bindings = bindingsOf(registry, instance);
  return {
    instance,
    bindings,
    bindingOperations: bindings.flatMap(({ id }) => openBindingOperation(registry, id) ?? []),
  };
}
