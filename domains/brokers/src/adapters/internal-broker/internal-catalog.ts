import type { JsonObject } from '@chandlery/api';
import type { InternalService, InternalServicePlan } from '../../kinds/index.ts';
import { notOrderable } from '../../model/catalog/not-orderable.ts';

/** The OSB catalog of what another domain offers. */
export function catalogOf(services: readonly InternalService[]): JsonObject {
  return { services: services.map(offeringOf) };
}

function offeringOf(service: InternalService): JsonObject {
  const { id, name, description, isBindable, isPlanUpdateable = true, tags, metadata, plans } = service;
  return {
    id,
    name,
    description,
    bindable: isBindable,
    plan_updateable: isPlanUpdateable,
    instances_retrievable: true,
    bindings_retrievable: true,
    ...(tags === undefined ? {} : { tags: [...tags] }),
    ...(metadata === undefined ? {} : { metadata }),
    plans: plans.map(planOf),
  };
}

function planOf({ isOrderable = true, ...plan }: InternalServicePlan): JsonObject {
  const { id, name, description, isFree = true, parameters } = plan;
  const metadata = isOrderable ? plan.metadata : { ...plan.metadata, ...notOrderable };
  return {
    id,
    name,
    description,
    free: isFree,
    ...(metadata === undefined ? {} : { metadata }),
    ...(parameters === undefined ? {} : { schemas: schemasOf(parameters) }),
  };
}

/** A schema must say of which draft it is. Updates name only what changes, so the schema of a whole does not fit them. */
const schemasOf = (parameters: JsonObject): JsonObject => ({
  service_instance: {
    create: { parameters: { $schema: 'http://json-schema.org/draft-04/schema#', ...parameters } },
  },
});
