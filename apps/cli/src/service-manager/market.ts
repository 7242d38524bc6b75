import { fieldQuery, namesOf, quotedList } from './queries.ts';
import type { SmClient, SmQuery } from './sm-client.ts';
import { smKinds } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** An offering with its plans. */
export interface MarketOffering extends SmObject {
  readonly broker_name?: string;
  readonly plans: readonly SmObject[];
}

/** Shared instances are referred to by a plan of their own, which is not for direct orders. */
const referencePlan = 'reference-instance';

/** The offerings that the caller may order, each with the plans that the caller may order. */
export async function orderableOfferings(sm: SmClient, query: SmQuery = []): Promise<readonly MarketOffering[]> {
  const found = await withPlans(sm, await sm.all(smKinds.offerings.path, { query, isEverywhere: true }));
  return found
    .map(offering => ({ ...offering, plans: offering.plans.filter(({ name }) => name !== referencePlan) }))
    .filter(({ plans }) => plans.length > 0);
}

/** Offerings with the plans that may be ordered, in the tenant that the command line names, and the names of their brokers. */
export async function withPlans(sm: SmClient, offerings: readonly SmObject[]): Promise<MarketOffering[]> {
  const brokers = await namesOf(
    sm,
    smKinds.brokers,
    offerings.map(({ broker_id = '' }) => broker_id),
  );
  const plans = Map.groupBy(await plansOf(sm, offerings), ({ service_offering_id }) => service_offering_id);
  return offerings.map(offering => {
    const brokerName = brokers.get(offering.broker_id ?? '');
    return {
      ...offering,
      ...(brokerName === undefined ? {} : { broker_name: brokerName }),
      plans: plans.get(offering.id) ?? [],
    };
  });
}

/** Few offerings are asked for by their ids, many by reading all plans at once. */
const fewOfferings = 50;

async function plansOf(sm: SmClient, offerings: readonly SmObject[]): Promise<SmObject[]> {
  if (offerings.length === 0) return [];
  const ids = offerings.map(({ id }) => id);
  const isFew = ids.length <= fewOfferings;
  const query = isFew ? fieldQuery([`service_offering_id in ${quotedList(ids)}`]) : [];
  return sm.all(smKinds.plans.path, { query: [...query, ['orderable', 'true']] });
}
