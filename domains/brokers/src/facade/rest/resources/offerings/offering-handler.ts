import { offeringView } from '../../../../model/resources/offerings.ts';
import type { OfferingRow } from '../../../../model/rows.ts';
import type { QueryField } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { commonFields, flagField, jsonField, textField } from '../../shared/common-fields.ts';
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
    fields: offeringFields,
    view: offeringView,
    checkList: query => rejectDisabled(deps, query),
    patch: (row, request) => patchLabels(deps, { table: 'offerings', path, row }, request),
  };
}

const offeringFields: Readonly<Record<string, QueryField<OfferingRow>>> = {
  ...commonFields,
  name: textField(({ spec }) => spec.name, 'name'),
  description: textField(({ spec }) => spec.description ?? ''),
  broker_id: textField(({ spec }) => spec.brokerId, 'brokerId'),
  catalog_id: textField(({ spec }) => spec.catalogId, 'catalogId'),
  catalog_name: textField(({ spec }) => spec.catalogName),
  // Operators on Kubernetes ask for it with every offering. A landscape is one place, without a name of its own.
  data_center: textField(() => ''),
  bindable: flagField(({ spec }) => spec.bindable ?? false),
  instances_retrievable: flagField(({ spec }) => spec.instancesRetrievable ?? false),
  bindings_retrievable: flagField(({ spec }) => spec.bindingsRetrievable ?? false),
  plan_updateable: flagField(({ spec }) => spec.planUpdateable ?? false),
  allow_context_updates: flagField(({ spec }) => spec.allowContextUpdates ?? false),
  tags: jsonField(({ spec }) => spec.tags),
  requires: jsonField(({ spec }) => spec.requires),
  metadata: jsonField(({ spec }) => spec.metadata as object | undefined),
};
