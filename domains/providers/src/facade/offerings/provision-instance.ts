import { apiError, badRequest, isError, type JsonObject } from '@chandlery/api';
import { type InternalInstance, type InternalOutcome, isLandscape, tenantNamespaceOf } from '@chandlery/brokers/kinds';
import type { ObjectRef } from '@chandlery/client';
import { isDeleting, isSameJson } from '@chandlery/runtime';
import { providerNames } from '../../kinds/index.ts';
import { keptParameters, type Order, specOf } from '../../model/offerings/instance-spec.ts';
import { instanceLabelOf, objectNameOf, offerNames } from '../../model/offerings/offer-names.ts';
import { outcomeOf } from '../../model/offerings/outcome-of.ts';
import { rejectionOf } from '../../model/offerings/rejections.ts';
import type { OfferedPlan, ServiceOffer } from '../../model/offerings/service-offer.ts';
import { unknownParameters } from '../../model/offerings/unknown-parameters.ts';
import {
  createObject,
  type FoundInstance,
  findInstance,
  type InstanceObject,
  parametersOf,
} from './instance-objects.ts';
import { type OfferDeps, readOffers } from './read-offers.ts';

/** Creates the object of an instance. Idempotent. */
export async function provisionInstance(deps: OfferDeps, instance: InternalInstance): Promise<InternalOutcome> {
  const existing = await findInstance(deps, instance.id);
  if (existing !== undefined) return outcomeOfExisting(existing, instance);
  const { offer, plan } = await findPlan(deps, instance);
  rejectUnknown(instance.parameters, offer);
  const order = { plan, parameters: keptParameters(instance.parameters) };
  const ref = { ...placeOf(instance), group: offer.group, version: offer.version, plural: offer.plural };
  const object = objectFor({ instance, offer, order, ref });
  try {
    const made = await createObject(deps.onboarding, ref, { object, makesNamespace: isLandscape(instance.caller) });
    return outcomeOf(made);
  } catch (error) {
    if (isError(error, 'AlreadyExists')) return outcomeOfRace(deps, instance);
    throw isError(error, 'NotFound') ? badRequest(`there is no namespace "${ref.namespace}"`) : rejectionOf(error);
  }
}

/** Rejects parameters that the kind does not have. */
export function rejectUnknown(parameters: JsonObject, { schema }: Pick<ServiceOffer, 'schema'>): void {
  const unknown = unknownParameters(parameters, schema);
  if (unknown.length === 0) return;
  const meant = unknown.flatMap(parameter => (parameter.meant === undefined ? [] : [`"${parameter.meant}"`]));
  const hint = meant.length === 0 ? '' : `; did you mean ${meant.join(', ')}?`;
  throw badRequest(`there is no ${unknown.map(({ path }) => path).join(', ')}${hint}`);
}

async function findPlan(
  deps: OfferDeps,
  { serviceId, planId }: InternalInstance,
): Promise<{ readonly offer: ServiceOffer; readonly plan: OfferedPlan }> {
  const { offers } = await readOffers(deps);
  const offer = offers.find(each => each.serviceId === serviceId && !each.isLeaving);
  const plan = offer?.plans.find(({ id }) => id === planId);
  if (offer === undefined || plan === undefined) throw badRequest('the service or its plan is not offered');
  return { offer, plan };
}

const placeOf = ({ id, caller }: InternalInstance): { readonly namespace: string; readonly name: string } => ({
  namespace: tenantNamespaceOf(caller),
  name: objectNameOf(id),
});

interface DesiredAccess {
  readonly instance: InternalInstance;
  readonly offer: ServiceOffer;
  readonly order: Order;
  readonly ref: ObjectRef;
}

/** The name of the object is a hash, so that people know it by the name of the instance, which platforms do not limit. */
const maxDisplayName = 256;

function objectFor({ instance, offer, order, ref }: DesiredAccess): InstanceObject {
  const { id, serviceId, planId, caller } = instance;
  const name = caller.context['instance_name'];
  return {
    apiVersion: `${offer.group}/${offer.version}`,
    kind: offer.kind,
    metadata: {
      name: ref.name,
      namespace: ref.namespace ?? '',
      labels: {
        [offerNames.instanceLabel]: instanceLabelOf(id),
        [offerNames.serviceLabel]: serviceId,
        [offerNames.planLabel]: planId,
      },
      annotations: {
        [offerNames.instanceAnnotation]: id,
        [offerNames.platformAnnotation]: caller.platformId,
        [offerNames.parametersAnnotation]: JSON.stringify(order.parameters),
        ...(typeof name === 'string' && { [providerNames.displayNameAnnotation]: name.slice(0, maxDisplayName) }),
      },
    },
    spec: specOf(order),
  };
}

/** Resolves a name conflict: a concurrent call for the same instance, or an object of another owner. */
async function outcomeOfRace(deps: OfferDeps, instance: InternalInstance): Promise<InternalOutcome> {
  const existing = await findInstance(deps, instance.id);
  if (existing === undefined) throw apiError('Conflict', 'the name of the object is taken');
  return outcomeOfExisting(existing, instance);
}

function outcomeOfExisting({ object }: FoundInstance, instance: InternalInstance): InternalOutcome {
  const { namespace, labels = {} } = object.metadata;
  const isSame =
    namespace === tenantNamespaceOf(instance.caller) &&
    labels[offerNames.serviceLabel] === instance.serviceId &&
    labels[offerNames.planLabel] === instance.planId &&
    isSameJson(parametersOf(object), keptParameters(instance.parameters));
  if (!isSame) throw apiError('Conflict', 'the instance exists with other attributes');
  if (isDeleting(object)) throw apiError('Conflict', 'the instance is being deleted');
  return outcomeOf(object);
}
