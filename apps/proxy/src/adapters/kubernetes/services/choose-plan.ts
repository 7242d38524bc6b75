import type { ServiceClass, ServiceInstance } from '../kinds.ts';

/** A plan that was found, or why none was. */
export type PlanChoice =
  | { readonly type: 'found'; readonly serviceClass: ServiceClass; readonly planId: string }
  | { readonly type: 'none'; readonly reason: string; readonly message: string };

/** Finds the plan that an instance names. */
export function choosePlan(
  classes: readonly ServiceClass[],
  { offering, plan, broker }: ServiceInstance['spec'],
): PlanChoice {
  const candidates = classes.filter(
    ({ spec }) => spec.offering === offering && (broker === undefined || spec.broker === broker),
  );
  const [serviceClass] = candidates;
  if (serviceClass === undefined)
    return none('OfferingNotFound', `there is no offering "${offering}" here; see "kubectl get serviceclasses"`);
  if (candidates.length > 1) {
    const brokers = candidates.map(({ spec }) => spec.broker).sort();
    return none(
      'OfferingAmbiguous',
      `several brokers offer "${offering}": name one of ${brokers.join(', ')} in spec.broker`,
    );
  }
  const plans = serviceClass.status?.plans ?? [];
  const found = plans.find(({ name }) => name === plan);
  if (found !== undefined) return { type: 'found', serviceClass, planId: found.id };
  const names = plans.map(({ name }) => name).sort();
  return none('PlanNotFound', `offering "${offering}" has no plan "${plan}"; it has ${names.join(', ')}`);
}

const none = (reason: string, message: string): PlanChoice => ({ type: 'none', reason, message });
