import { isPlanVisibleToTenant } from '../../../../model/catalog/tenant-visibility.ts';
import { planResource, planView } from '../../../../model/resources/plans.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { PlanRow } from '../../../../model/rows.ts';
import { isAboutOrders, namedTenant } from '../../access/tenants.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { type CatalogDeps, patchLabels, rejectDisabled } from '../../shared/patch-labels.ts';
import type { Call } from '../../transport/route.ts';

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
    listParameters: ['orderable'],
    listFilter: call => orderableFilter(deps, call),
    checkList: query => rejectDisabled(deps, query),
    patch: (row, request) => patchLabels(deps, { table: 'plans', path, row }, request),
  };
}

/** `orderable=true`: only plans of which the caller may make instances here, in the tenant that is named or in any of theirs. */
function orderableFilter(
  { registry, settings: { ownPlatformTypes } }: CatalogDeps,
  call: Pick<Call, 'caller' | 'headers' | 'query'>,
): ((plan: PlanRow) => boolean) | undefined {
  const { caller } = call;
  if (!isAboutOrders(call) || caller.type !== 'user') return undefined;
  const plural = 'serviceinstances';
  const named = namedTenant(call);
  const tenants = caller
    .tenants(plural)
    .filter(tenant => [undefined, tenant].includes(named) && caller.may('create', plural, tenant));
  return plan => tenants.some(tenant => isPlanVisibleToTenant(registry, plan, { tenant, ownPlatformTypes }));
}
