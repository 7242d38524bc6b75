import { didYouMean } from '@chandlery/platform';
import { notFound, type SmError, smError } from '../../errors.ts';
import { isLandscapeBroker } from '../../kinds/index.ts';
import type { PlanRow, Registry } from '../rows.ts';

/** Which plan is wanted: by its id, or by names. */
export type WantedPlan =
  | { readonly planId: string }
  | { readonly offeringName: string; readonly planName: string; readonly brokerName?: string };

/**
 * Finds the plan that is wanted among those that may be used. Throws `NotFound`, with what may be meant, or `BadRequest`
 * with the candidates when names fit several.
 */
export function choosePlan(registry: Registry, wanted: WantedPlan, isUsable: (plan: PlanRow) => boolean): PlanRow {
  const [plan, ...others] = withoutTwins(registry, candidatesOf(registry, wanted).filter(isUsable));
  if (plan === undefined) throw noSuchPlan(registry, wanted, isUsable);
  if (others.length > 0) throw ambiguity(registry, [plan, ...others]);
  return plan;
}

/** Says which name is wrong, and what may be meant. Only plans that may be used are spoken of. */
function noSuchPlan(registry: Registry, wanted: WantedPlan, isUsable: (plan: PlanRow) => boolean): SmError {
  if ('planId' in wanted) return notFound('service plan');
  const { offeringName, planName, brokerName } = wanted;
  const isOfBroker = ({ spec }: PlanRow): boolean =>
    brokerName === undefined || brokerNameOf(registry, spec.brokerId) === brokerName;
  const offeringOf = ({ spec }: PlanRow): string => registry.offerings.get(spec.offeringId)?.spec.name ?? '';
  const usable = [...registry.plans.all()].filter(plan => isUsable(plan) && isOfBroker(plan));
  const plans = usable.filter(plan => offeringOf(plan) === offeringName);
  const offerings = [...new Set(usable.map(offeringOf))];
  const names = plans.map(({ spec }) => spec.name);
  const owner = brokerName === undefined ? '' : ` of the broker "${brokerName}"`;
  const why =
    plans.length === 0
      ? `there is no offering "${offeringName}"${owner}${didYouMean(offeringName, offerings)}`
      : `the offering "${offeringName}"${owner} has no plan "${planName}"${didYouMean(planName, names)}`;
  return notFound('service plan', why);
}

function candidatesOf(registry: Registry, wanted: WantedPlan): PlanRow[] {
  if ('planId' in wanted) {
    const plan = registry.plans.get(wanted.planId);
    return plan === undefined ? [] : [plan];
  }
  const { offeringName, planName, brokerName } = wanted;
  const offerings = [...registry.offerings.by('name', offeringName)].filter(
    ({ spec }) => brokerName === undefined || brokerNameOf(registry, spec.brokerId) === brokerName,
  );
  return offerings
    .flatMap(offering => [...registry.plans.by('offeringId', offering.id)])
    .filter(({ spec }) => spec.name === planName);
}

/** A source that an operator has registered is also a broker of the landscape: the plans are the same, and the registered ones count. */
function withoutTwins(registry: Registry, plans: readonly PlanRow[]): readonly PlanRow[] {
  const brokerOf = ({ spec }: PlanRow) => registry.brokers.get(spec.brokerId);
  const registered = new Set(
    plans.map(brokerOf).flatMap(broker => (broker && !isLandscapeBroker(broker) ? (broker.spec.internal ?? []) : [])),
  );
  return plans.filter(plan => {
    const broker = brokerOf(plan);
    return !(broker && isLandscapeBroker(broker) && registered.has(broker.spec.internal ?? ''));
  });
}

function ambiguity(registry: Registry, plans: readonly PlanRow[]): Error {
  const notified = plans.map(plan => `${plan.id} of broker ${brokerNameOf(registry, plan.spec.brokerId)}`).sort();
  return smError(
    'BadRequest',
    `several service plans have these names: ${notified.join(', ')}; give "service_plan_id" or "broker_name"`,
    { ids: plans.map(plan => plan.id).sort() },
  );
}

function brokerNameOf(registry: Registry, brokerId: string): string {
  const broker = registry.brokers.get(brokerId);
  return broker?.spec.name ?? brokerId;
}
