import type { JsonObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { applyLabelChanges } from '../../../../model/query/labels.ts';
import {
  optionalObject,
  optionalText,
  rejectFields,
  requiredName,
  withoutIgnored,
} from '../../../../model/resources/body-fields.ts';
import type { InstanceRow } from '../../../../model/rows.ts';
import { platformOf } from '../../../../model/sharing/owner.ts';
import type { BrokerSettings } from '../../../../settings.ts';

/** What a PATCH changes: only what differs from the row. */
export interface InstanceChange {
  readonly name?: string;
  readonly planId?: string;
  /** Where it should belong. */
  readonly platformId?: string;
  readonly parameters?: JsonObject;
  /** Null: none any more. */
  readonly maintenanceInfo?: JsonObject | null;
  /** All labels, changed. */
  readonly labels?: Record<string, string[]>;
}

/** Fields that clients send back as they got them, and that mean nothing in a PATCH. */
const ignored = ['id', 'created_at', 'updated_at', 'ready', 'usable', 'context', 'dashboard_url', 'last_operation'];

/** The fields of a PATCH that mean something. */
export const meaningfulFields = (body: JsonObject): JsonObject => withoutIgnored(body, ignored);

/** Reads a PATCH that is not about sharing. Throws `BadRequest`. */
export function readInstanceChange(row: InstanceRow, body: JsonObject, settings: BrokerSettings): InstanceChange {
  rejectFields(body, ['referenced_instance_id', 'service_offering_name', 'service_plan_name', 'broker_name']);
  return {
    ...changed('name', body['name'] === undefined ? undefined : requiredName(body), row.spec.name ?? row.id),
    ...changed('planId', optionalText(body, 'service_plan_id'), row.spec.planId),
    ...changed('platformId', optionalText(body, 'platform_id'), platformOf(row)),
    ...parametersOf(body),
    ...maintenanceOf(row, body),
    ...labelsOf(row, body, settings),
  };
}

function changed<K extends string>(key: K, asked: string | undefined, present: string | undefined) {
  return (asked === undefined || asked === present ? {} : { [key]: asked }) as { readonly [P in K]?: string };
}

/** None and empty ones ask for nothing. */
function parametersOf(body: JsonObject): Pick<InstanceChange, 'parameters'> {
  const parameters = optionalObject(body, 'parameters');
  return parameters === undefined || Object.keys(parameters).length === 0 ? {} : { parameters };
}

function maintenanceOf({ spec }: InstanceRow, body: JsonObject): Pick<InstanceChange, 'maintenanceInfo'> {
  if (body['maintenance_info'] === undefined) return {};
  const maintenanceInfo = optionalObject(body, 'maintenance_info') ?? null;
  return isSameJson(maintenanceInfo, spec.maintenanceInfo ?? null) ? {} : { maintenanceInfo };
}

function labelsOf({ spec }: InstanceRow, body: JsonObject, settings: BrokerSettings): Pick<InstanceChange, 'labels'> {
  if (body['labels'] === undefined) return {};
  const labels = applyLabelChanges(spec.labels, body['labels'], settings.protectedLabels);
  return isSameJson(labels, spec.labels ?? {}) ? {} : { labels: labels as Record<string, string[]> };
}
