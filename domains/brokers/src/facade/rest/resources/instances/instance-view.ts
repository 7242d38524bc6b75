import type { JsonObject } from '@chandlery/api';
import { searchedContext } from '../../../../model/query/searched-context.ts';
import { present, rowView } from '../../../../model/resources/resource.ts';
import type { InstanceRow } from '../../../../model/rows.ts';
import { platformOf } from '../../../../model/sharing/owner.ts';
import type { QueryField } from '../../resource-handler.ts';
import { commonFields, flagField, jsonField, textField } from '../../shared/common-fields.ts';

/** An instance as the service manager shows it. */
export function instanceView(instance: InstanceRow): JsonObject {
  const { id, spec, status } = instance;
  return {
    ...rowView(instance),
    name: spec.name ?? id,
    service_plan_id: spec.planId ?? '',
    platform_id: platformOf(instance),
    usable: status.usable ?? false,
    ...present({
      shared: spec.shared,
      referenced_instance_id: spec.referencedInstanceId,
      dashboard_url: status.dashboardUrl,
      maintenance_info: spec.maintenanceInfo ?? undefined,
      context: status.context,
      metadata: status.metadata,
    }),
  };
}

/** What can be asked of instances. */
export const instanceFields: Readonly<Record<string, QueryField<InstanceRow>>> = {
  ...commonFields,
  name: textField(row => row.spec.name ?? row.id, 'name'),
  service_plan_id: textField(row => row.spec.planId, 'planId'),
  platform_id: textField(platformOf, 'platformId'),
  referenced_instance_id: textField(row => row.spec.referencedInstanceId, 'referencedInstanceId'),
  dashboard_url: textField(row => row.status.dashboardUrl),
  usable: flagField(row => row.status.usable ?? false),
  shared: flagField(row => row.spec.shared),
  context: jsonField(searchedContext),
  maintenance_info: jsonField(row => row.spec.maintenanceInfo ?? undefined),
};
