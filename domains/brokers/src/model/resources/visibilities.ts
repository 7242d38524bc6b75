import type { VisibilityRow } from '../rows.ts';
import { optionalText, requiredText } from './body-fields.ts';
import { defineResource, type Viewed, viewOf } from './resource.ts';
import { text } from './schemas.ts';

/** Visibilities. An empty `platform_id` stands for every platform. */
export const visibilityResource = defineResource<Viewed<VisibilityRow>>({
  accepts: { create: 'with-id', patch: true },
  fields: {
    platform_id: {
      type: 'string',
      read: ({ spec }) => spec.platformId ?? '',
      schema: { type: ['string', 'null'] },
      query: { index: 'platformId', nullAs: '' },
      input: { key: 'platformId', parse: optionalText },
    },
    service_plan_id: {
      type: 'string',
      read: ({ spec }) => spec.planId,
      schema: text,
      query: { index: 'planId' },
      input: { isRequired: true, key: 'planId', parse: requiredText },
    },
  },
});

/** A visibility as the REST API shows it. */
export const visibilityView = viewOf(visibilityResource);
