import type { PlanRow } from '../rows.ts';

/** Whether instances of a plan may be shared. */
export function isShareable(plan: PlanRow): boolean {
  const metadata = plan.spec.metadata;
  return metadata?.['supportsInstanceSharing'] === true;
}
