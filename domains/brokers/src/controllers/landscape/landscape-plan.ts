import { isLandscapeBroker } from '../../kinds/index.ts';
import type { PlanRow, Registry } from '../../model/rows.ts';

/** The plan of a broker of the landscape, by its id at the source. */
export const landscapePlanOf = ({ plans, brokers }: Registry, catalogId: string): PlanRow | undefined =>
  [...plans.by('catalogId', catalogId)].find(({ spec }) => {
    const broker = brokers.get(spec.brokerId);
    return broker !== undefined && isLandscapeBroker(broker);
  });
