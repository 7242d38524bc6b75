import { planResource, planView } from '../../../../model/resources/plans.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
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
    fields: queryFieldsOf(planResource),
    view: planView,
    checkList: query => rejectDisabled(deps, query),
    patch: (row, request) => patchLabels(deps, { table: 'plans', path, row }, request),
  };
}
