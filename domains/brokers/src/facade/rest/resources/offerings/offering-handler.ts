import { offeringResource, offeringView } from '../../../../model/resources/offerings.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { type CatalogDeps, patchLabels, rejectDisabled } from '../../shared/patch-labels.ts';

const path = '/v1/service_offerings';

/** Offerings: the services of brokers' catalogs. */
export function createOfferingHandler(deps: CatalogDeps): RestHandler<'offerings'> {
  return {
    table: 'offerings',
    path,
    noun: 'service offering',
    plural: 'serviceofferings',
    isAsync: false,
    hasBulkDelete: false,
    hasCascade: false,
    fields: queryFieldsOf(offeringResource),
    view: offeringView,
    checkList: query => rejectDisabled(deps, query),
    patch: (row, request) => patchLabels(deps, { table: 'offerings', path, row }, request),
  };
}
