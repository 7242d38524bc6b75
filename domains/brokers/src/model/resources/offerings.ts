import type { OfferingRow } from '../rows.ts';
import { defineResource, type Viewed, viewOf } from './resource.ts';
import { anyObject, flag, list, text } from './schemas.ts';

/** Offerings, as the catalog of their broker describes them. Only their labels can be changed. */
export const offeringResource = defineResource<Viewed<OfferingRow>>({
  accepts: { patch: true },
  fields: {
    name: { type: 'string', read: ({ spec }) => spec.name, schema: text, query: { index: 'name' } },
    description: { type: 'string', read: ({ spec }) => spec.description ?? '', schema: text },
    broker_id: { type: 'string', read: ({ spec }) => spec.brokerId, schema: text, query: { index: 'brokerId' } },
    catalog_id: { type: 'string', read: ({ spec }) => spec.catalogId, schema: text, query: { index: 'catalogId' } },
    catalog_name: { type: 'string', read: ({ spec }) => spec.catalogName, schema: text },
    bindable: { type: 'boolean', read: ({ spec }) => spec.bindable ?? false, schema: flag },
    instances_retrievable: { type: 'boolean', read: ({ spec }) => spec.instancesRetrievable ?? false, schema: flag },
    bindings_retrievable: { type: 'boolean', read: ({ spec }) => spec.bindingsRetrievable ?? false, schema: flag },
    plan_updateable: { type: 'boolean', read: ({ spec }) => spec.planUpdateable ?? false, schema: flag },
    allow_context_updates: { type: 'boolean', read: ({ spec }) => spec.allowContextUpdates ?? false, schema: flag },
    tags: { type: 'json', read: ({ spec }) => spec.tags, schema: list },
    requires: { type: 'json', read: ({ spec }) => spec.requires, schema: list },
    metadata: { type: 'json', read: ({ spec }) => spec.metadata, schema: anyObject },
    // Operators on Kubernetes query it with every offering. A landscape is one place, without a name of its own.
    data_center: { type: 'string', read: () => '', isShown: false },
  },
});

/** An offering as the REST API shows it. */
export const offeringView = viewOf(offeringResource);
