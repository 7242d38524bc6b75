import { type InternalService, type InternalServicePlan, sharedPlan } from '@chandlery/brokers/kinds';
import { parametersSchema } from './parameters-schema.ts';
import type { OfferedPlan, ServiceOffer } from './service-offer.ts';

/** The catalog of services that can be ordered now. */
export const catalogOf = (offers: readonly ServiceOffer[]): readonly InternalService[] =>
  offers.filter(({ isLeaving, plans }) => !isLeaving && plans.length > 0).map(serviceOf);

function serviceOf(offer: ServiceOffer): InternalService {
  const { serviceId, name, description, isBindable, provider, group, version, kind, plans } = offer;
  return {
    id: serviceId,
    name,
    description,
    isBindable,
    metadata: { displayName: kind, providerDisplayName: provider, apiVersion: `${group}/${version}`, kind },
    plans: plans.map(plan => servicePlanOf(offer, plan)),
  };
}

function servicePlanOf({ schema, isBindable }: ServiceOffer, plan: OfferedPlan): InternalServicePlan {
  const { id, name, description, isFree, spec } = plan;
  const parameters = parametersSchema(schema, spec);
  return {
    id,
    name,
    description,
    isFree,
    // An instance is shared by bindings of others.
    ...(isBindable && { metadata: sharedPlan }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}
