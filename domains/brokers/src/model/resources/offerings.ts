import type { JsonObject } from '@chandlery/api';
import type { OfferingRow } from '../rows.ts';
import { present, rowView, type Viewed } from './resource.ts';

/** An offering as the service manager shows it. */
export function offeringView(offering: Viewed<OfferingRow>): JsonObject {
  const { spec } = offering;
  return {
    ...rowView(offering),
    name: spec.name,
    description: spec.description ?? '',
    broker_id: spec.brokerId,
    catalog_id: spec.catalogId,
    catalog_name: spec.catalogName,
    bindable: spec.bindable ?? false,
    instances_retrievable: spec.instancesRetrievable ?? false,
    bindings_retrievable: spec.bindingsRetrievable ?? false,
    plan_updateable: spec.planUpdateable ?? false,
    allow_context_updates: spec.allowContextUpdates ?? false,
    ...present({ tags: spec.tags, requires: spec.requires, metadata: spec.metadata }),
  };
}
