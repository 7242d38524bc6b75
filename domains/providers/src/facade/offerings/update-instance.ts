import { apiError, badRequest, type JsonObject } from '@chandlery/api';
import type { InternalBroker, InternalCallOptions, InternalInstance, InternalOutcome } from '@chandlery/brokers/kinds';
import { isDeleting, retryOnConflict } from '@chandlery/runtime';
import { marksOf, planIdOf } from '../../model/offerings/instance-object.ts';
import { changedSpec } from '../../model/offerings/instance-spec.ts';
import { mergeJson } from '../../model/offerings/merge-json.ts';
import { outcomeOf } from '../../model/offerings/outcome-of.ts';
import { rejectionOf } from '../../model/offerings/rejections.ts';
import type { ServiceOffer } from '../../model/offerings/service-offer.ts';
import { fieldManager, findInstance, type InstanceObject, parametersOf, refOf } from './instance-objects.ts';
import { rejectUnknown } from './provision-instance.ts';
import { type OfferDeps, readOffers } from './read-offers.ts';

type Change = Parameters<InternalBroker['update']>[1];

/** A requested change. */
interface UpdateOrder extends InternalCallOptions {
  readonly instance: InternalInstance;
  readonly change: Change;
}

/** Changes plan and parameters of an instance. Idempotent. */
export async function updateInstance(
  deps: OfferDeps,
  { instance, change, isDryRun = false }: UpdateOrder,
): Promise<InternalOutcome> {
  const { offers } = await readOffers(deps);
  const offer = offers.find(({ serviceId }) => serviceId === instance.serviceId);
  if (offer === undefined) throw badRequest('the service is not offered');
  rejectUnknown(change.parameters ?? {}, offer);
  try {
    // Only conflicting writes are retried; an instance that is being deleted is not.
    const written = await retryOnConflict(() => tryUpdate(deps, { id: instance.id, offer, change, isDryRun }));
    if (written !== 'deleting') return outcomeOf(written);
  } catch (error) {
    throw rejectionOf(error);
  }
  throw apiError('Conflict', 'the instance is being deleted');
}

interface Attempt {
  readonly id: string;
  readonly offer: ServiceOffer;
  readonly change: Change;
  readonly isDryRun: boolean;
}

async function tryUpdate(
  deps: OfferDeps,
  { id, offer, change, isDryRun }: Attempt,
): Promise<InstanceObject | 'deleting'> {
  const found = await findInstance(deps, id);
  if (found === undefined) throw apiError('NotFound', 'there is no such instance');
  const { object, kind } = found;
  if (kind.serviceId !== offer.serviceId) throw badRequest('the instance is of another service');
  if (isDeleting(object)) return 'deleting';
  return deps.onboarding.update(refOf(found), changed(object, offer, change), { fieldManager, isDryRun });
}

function changed(object: InstanceObject, { plans }: ServiceOffer, change: Change): InstanceObject {
  const { metadata, spec = {} } = object;
  const oldPlanId = planIdOf(object);
  const planId = change.planId ?? oldPlanId;
  const plan = plans.find(each => each.id === planId);
  if (plan === undefined && planId !== oldPlanId) throw badRequest('the plan is not offered');
  const asked: JsonObject = change.parameters ?? {};
  const before = { plan: plans.find(({ id }) => id === oldPlanId), parameters: parametersOf(object) };
  const after = { plan, parameters: mergeJson(before.parameters, asked) };
  const marks = marksOf(object, { planId, parameters: after.parameters });
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...marks.labels },
      annotations: { ...metadata.annotations, ...marks.annotations },
    },
    spec: changedSpec(spec, { before, after, asked }),
  };
}
