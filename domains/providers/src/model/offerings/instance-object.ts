import { isJsonObject, type JsonObject, type KubeObject } from '@chandlery/api';
import { type InternalObject, readListening } from '@chandlery/brokers/kinds';
import { isDeleting, isSameJson } from '@chandlery/runtime';
import { mergeJson } from './merge-json.ts';
import { instanceLabelOf, objectNameOf, offerNames } from './offer-names.ts';
import { progressOf } from './progress-of.ts';
import type { OfferedPlan, ServiceOffer } from './service-offer.ts';

/**
 * The id of an instance's object: that under which it was ordered, else its uid. A tenant may copy annotations, but not
 * together with the name that belongs to the id.
 */
export function instanceIdOf({ metadata }: KubeObject): string {
  const id = metadata.annotations?.[offerNames.instanceAnnotation];
  return id !== undefined && objectNameOf(id) === metadata.name ? id : (metadata.uid ?? '');
}

/** Whether `provision` has made an object, and not a tenant. */
const isOrdered = (object: KubeObject): boolean => instanceIdOf(object) !== object.metadata.uid;

/** Whether an object with the labels of an instance is the instance. */
export const isInstance = (object: KubeObject, id: string): boolean =>
  object.metadata.name === objectNameOf(id) || object.metadata.uid === id;

/** The selectors of an instance's object: of those that were ordered, and of those that tenants made. */
export const instanceSelectors = (id: string): readonly string[] => [
  `${offerNames.instanceLabel}=${instanceLabelOf(id)}`,
  ...(/^[0-9a-f-]{36}$/.test(id) ? [`${offerNames.ownInstanceLabel}=${id}`] : []),
];

/** The plan of an instance's object. */
export const planIdOf = ({ metadata: { labels = {} } }: KubeObject): string =>
  labels[offerNames.planLabel] ?? labels[offerNames.ownPlanLabel] ?? '';

/** The labels and annotations of an object with another plan and other parameters. Those of tenants stay free of our protected ones. */
export function marksOf(
  object: KubeObject,
  { planId, parameters }: { readonly planId: string; readonly parameters: JsonObject },
): Record<'labels' | 'annotations', Record<string, string>> {
  if (!isOrdered(object)) return { labels: { [offerNames.ownPlanLabel]: planId }, annotations: {} };
  return {
    labels: { [offerNames.planLabel]: planId },
    annotations: { [offerNames.parametersAnnotation]: JSON.stringify(parameters) },
  };
}

/** The labels by which an object that a tenant made is found as an instance; undefined when it has them. */
export function claimOf(object: KubeObject, { plans }: Pick<ServiceOffer, 'plans'>): JsonObject | undefined {
  const { uid = '', labels = {} } = object.metadata;
  if (isDeleting(object) || isOrdered(object) || labels[offerNames.ownInstanceLabel] === uid) return undefined;
  const plan = planOfSpec(object, plans);
  return {
    labels: {
      [offerNames.ownInstanceLabel]: uid,
      ...(plan === undefined ? {} : { [offerNames.ownPlanLabel]: plan.id }),
    },
  };
}

/** The plan that an object has: the one that says the most of what its spec says. */
function planOfSpec(object: KubeObject, plans: readonly OfferedPlan[]): OfferedPlan | undefined {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const fitting = plans.filter(plan => isSameJson(mergeJson(spec, plan.spec), spec));
  return fitting.sort((one, other) => sizeOf(other) - sizeOf(one))[0] ?? plans[0];
}

const sizeOf = ({ spec }: OfferedPlan): number => JSON.stringify(spec).length;

/** The object of a provider's kind as an instance. */
export function instanceObjectOf(object: KubeObject, { serviceId }: ServiceOffer): InternalObject {
  const { name = '', namespace = '', creationTimestamp = '' } = object.metadata;
  const listens = readListening((object['status'] as { readonly listens?: unknown } | undefined)?.listens);
  return {
    id: instanceIdOf(object),
    serviceId,
    planId: planIdOf(object),
    name,
    tenant: namespace,
    isProvisioned: isOrdered(object),
    createdAt: creationTimestamp,
    progress: progressOf(object),
    ...(listens && { listens }),
    isDeleting: isDeleting(object),
  };
}
