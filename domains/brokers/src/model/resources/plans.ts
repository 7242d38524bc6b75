import type { JsonObject } from '@chandlery/api';
import type { PlanRow } from '../rows.ts';
import { present, rowView, type Viewed } from './resource.ts';

/** A plan as the service manager shows it. What it inherits from its offering is left out. */
export function planView(plan: Viewed<PlanRow>): JsonObject {
  const { spec } = plan;
  return {
    ...rowView(plan),
    name: spec.name,
    description: spec.description ?? '',
    catalog_id: spec.catalogId,
    catalog_name: spec.catalogName,
    service_offering_id: spec.offeringId,
    free: spec.free ?? true,
    ...present({
      bindable: spec.bindable,
      plan_updateable: spec.planUpdateable,
      binding_rotatable: spec.bindingRotatable,
      metadata: spec.metadata,
      schemas: spec.schemas,
      maximum_polling_duration: spec.maximumPollingDuration,
      maintenance_info: spec.maintenanceInfo,
    }),
  };
}
