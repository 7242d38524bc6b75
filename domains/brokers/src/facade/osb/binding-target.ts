import type { JsonObject } from '@chandlery/api';
import type { InstanceRow, Registry } from '../../model/rows.ts';
import { brokerInstanceOf } from '../../model/sharing/rows-of-instance.ts';
import type { ForwardedChanges } from './forward-request.ts';
import type { BindingCall } from './osb-call.ts';

/** The broker's names for the offering and plan of an instance. */
export interface BrokerNames {
  readonly serviceId: string;
  readonly planId: string;
}

/** What a call about a binding becomes for the broker, who knows only shared instances, not what refers to them. */
export interface BindingTarget {
  /** Path and query; empty for an instance that is no reference. */
  readonly change: ForwardedChanges;
  /** The instance as the broker knows it; undefined when we have never seen it. */
  readonly instance: InstanceRow | undefined;
  /** Fields of a body that differ; undefined: none does. */
  readonly fields: JsonObject | undefined;
}

/** Where a call about a binding of this instance goes. */
export function bindingTarget(registry: Registry, call: BindingCall, instance: InstanceRow | undefined): BindingTarget {
  if (instance?.spec.referencedInstanceId === undefined) return { change: {}, instance, fields: undefined };
  const shared = brokerInstanceOf(registry, instance);
  const names = brokerNames(registry, shared);
  const { path, query } = call.target;
  const rest = path.split('/').slice(4).join('/');
  const { context } = shared.status;
  return {
    change: {
      path: `/v2/service_instances/${encodeURIComponent(shared.id)}/${rest}`,
      query: renamed(query, names),
    },
    instance: shared,
    fields: {
      service_id: names.serviceId,
      plan_id: names.planId,
      ...(context === undefined ? {} : { context: context as JsonObject }),
    },
  };
}

/** The ids of the broker's catalog for an instance; empty where the catalog has lost them. */
export function brokerNames(registry: Registry, { spec }: InstanceRow): BrokerNames {
  const plan = registry.plans.get(spec.planId ?? '');
  const offering = registry.offerings.get(plan?.spec.offeringId ?? '');
  return { serviceId: offering?.spec.catalogId ?? '', planId: plan?.spec.catalogId ?? '' };
}

/** A query with the ids that it names replaced. */
function renamed(query: string, { serviceId, planId }: BrokerNames): string {
  if (query === '') return query;
  const changed = new URLSearchParams(query);
  if (changed.has('service_id')) changed.set('service_id', serviceId);
  if (changed.has('plan_id')) changed.set('plan_id', planId);
  return `?${changed}`;
}
