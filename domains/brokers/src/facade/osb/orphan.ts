import type { BrokerRow, InstanceRow } from '../../model/rows.ts';
import type { BrokerNames } from './binding-target.ts';
import type { BindingCall, InstanceCall, OsbCall, OsbDeps } from './osb-call.ts';

/** A resource that a broker may have created and that has no row. */
export interface Orphan {
  readonly broker: BrokerRow;
  /** As the broker knows it. */
  readonly instanceId: string;
  /** Default: the instance itself is the orphan. */
  readonly bindingId?: string;
  readonly names: BrokerNames;
  readonly correlationId: string;
  /** For whom it was made. */
  readonly caller: { readonly tenant: string; readonly platformId: string };
  /** Whether a row exists meanwhile: then the resource is no orphan. */
  readonly isKnown: () => boolean;
}

/** The instance that a provision may have left at the broker. */
export function orphanedInstance(call: InstanceCall, { registry }: OsbDeps, names: BrokerNames): Orphan {
  const { instanceId } = call.route;
  const isKnown = () => isAtBroker(registry.instances.get(instanceId), call, registry);
  return { ...commonFields(call), instanceId, names, isKnown };
}

/** The binding that a bind may have left at the broker, at the instance that the broker knows. */
export function orphanedBinding(
  call: BindingCall,
  { registry }: OsbDeps,
  { instanceId, ...names }: BrokerNames & { readonly instanceId: string },
): Orphan {
  const { bindingId } = call.route;
  const isKnown = () => registry.bindings.get(bindingId)?.spec.instanceId === call.route.instanceId;
  return { ...commonFields(call), instanceId, bindingId, names, isKnown };
}

const commonFields = ({ broker, correlationId, platform }: OsbCall) => ({
  broker,
  correlationId,
  caller: { tenant: platform.tenant, platformId: platform.id },
});

/** Whether a row stands for what the broker of the call has under its id. */
export function isAtBroker(
  instance: InstanceRow | undefined,
  { broker }: OsbCall,
  { plans }: OsbDeps['registry'],
): boolean {
  return instance !== undefined && plans.get(instance.spec.planId ?? '')?.spec.brokerId === broker.id;
}
