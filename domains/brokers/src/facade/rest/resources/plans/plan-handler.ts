import { planView } from '../../../../model/resources/plans.ts';
import type { PlanRow } from '../../../../model/rows.ts';
import type { QueryField } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { commonFields, flagField, jsonField, textField } from '../../shared/common-fields.ts';
import { type CatalogDeps, patchLabels, rejectDisabled } from '../../shared/patch-labels.ts';

const path = '/v1/service_plans';

/** Plans: what the services of brokers' catalogs can be had as. */
export function createPlanHandler(deps: CatalogDeps): RestHandler<'plans'> {
  return {
    table: 'plans',
    path,
    noun: 'service plan',
    plural: 'serviceplans',
    isAsync: false,
    hasBulkDelete: false,
    hasCascade: false,
    fields: planFields,
    view: planView,
    checkList: query => rejectDisabled(deps, query),
    patch: (row, request) => patchLabels(deps, { table: 'plans', path, row }, request),
  };
}

const planFields: Readonly<Record<string, QueryField<PlanRow>>> = {
  ...commonFields,
  name: textField(({ spec }) => spec.name, 'name'),
  description: textField(({ spec }) => spec.description ?? ''),
  service_offering_id: textField(({ spec }) => spec.offeringId, 'offeringId'),
  catalog_id: textField(({ spec }) => spec.catalogId, 'catalogId'),
  catalog_name: textField(({ spec }) => spec.catalogName),
  free: flagField(({ spec }) => spec.free ?? true),
  bindable: flagField(({ spec }) => spec.bindable),
  plan_updateable: flagField(({ spec }) => spec.planUpdateable),
  binding_rotatable: flagField(({ spec }) => spec.bindingRotatable ?? false),
  maximum_polling_duration: { type: 'number', read: ({ spec }) => spec.maximumPollingDuration ?? 0 },
  metadata: jsonField(({ spec }) => spec.metadata as object | undefined),
  schemas: jsonField(({ spec }) => spec.schemas as object | undefined),
  maintenance_info: jsonField(({ spec }) => spec.maintenanceInfo as object | undefined),
};
