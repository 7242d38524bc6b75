import type { JsonObject } from '@chandlery/api';
import { referencePlanName } from '../../kinds/index.ts';
import { type CatalogOffering, type CatalogPlan, supportsSharing } from './catalog.ts';

const description = 'Refers to an instance of this service that is shared';

/** Whether an offering gets a plan by which its shared instances are referred to. */
export const needsReferencePlan = ({ plans }: Pick<CatalogOffering, 'plans'>): boolean =>
  plans.some(({ facts }) => supportsSharing(facts));

/** The plan by which shared instances of an offering are referred to. The id is both ours and the catalog's. */
export function referencePlan(id: string): CatalogPlan {
  const common = { free: true, bindable: true, metadata: { supportedPlatforms: [] }, schemas: referenceSchemas() };
  return {
    facts: {
      catalogId: id,
      catalogName: referencePlanName,
      name: referencePlanName,
      description,
      planUpdateable: false,
      ...common,
    },
    raw: { id, name: referencePlanName, description, plan_updateable: false, ...common },
  };
}

function referenceSchemas(): JsonObject {
  return { service_instance: { create: { parameters: createParameters() }, update: { parameters: {} } } };
}

const text = (description: string): JsonObject => ({ type: 'string', description });

function createParameters(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    additionalProperties: false,
    oneOf: [{ required: ['referenced_instance_id'] }, { required: ['selectors'] }],
    properties: {
      referenced_instance_id: {
        ...text('The id of the shared instance, or * for the only one that there is.'),
        maxLength: 100,
      },
      selectors: {
        type: 'object',
        description: 'What the shared instance is like; all that is given must hold.',
        additionalProperties: false,
        properties: {
          instance_name_selector: text('Its name.'),
          plan_name_selector: text('The name of its plan.'),
          instance_label_selector: { type: 'array', items: text('A label query that it matches.') },
        },
      },
    },
  };
}
