import { smError } from '../../errors.ts';
import type { InstanceRow, PlanRow } from '../rows.ts';
import { type PlanFacts, supportsSharing } from './catalog.ts';

/** Sentences name a few instances; errors carry all ids that are worth carrying. */
const maxNamed = 5;
const maxIds = 100;

interface Deps {
  readonly instancesOfPlan: (planId: string) => Iterable<InstanceRow>;
}

/** Throws `ExistingReferenceEntity` when one of the plans has instances. */
export function assertPlansUnused({ instancesOfPlan }: Deps, plans: readonly PlanRow[]): void {
  const used = plans.map(plan => ({ plan, instances: [...instancesOfPlan(plan.id)] })).filter(hasInstances);
  if (used.length === 0) return;
  const instances = used.flatMap(({ instances }) => instances);
  const names = used.map(({ plan }) => plan.spec.name);
  throw smError(
    'ExistingReferenceEntity',
    `the plans ${listed(names)} still have ${instances.length} service instances: ${listed(instances.map(({ id }) => id))}`,
    { ids: idsOf(instances) },
  );
}

/** Throws `BadRequest` when a plan would lose sharing while instances of it are shared. */
export function assertMayChange({ instancesOfPlan }: Deps, plan: PlanRow, after: PlanFacts): void {
  if (!supportsSharing(plan.spec) || supportsSharing(after)) return;
  const shared = [...instancesOfPlan(plan.id)].filter(({ spec }) => spec.shared === true);
  if (shared.length === 0) return;
  throw smError(
    'BadRequest',
    `the plan ${plan.spec.name} cannot stop supporting instance sharing: ${listed(shared.map(({ id }) => id))} are shared`,
    { ids: idsOf(shared) },
  );
}

const hasInstances = ({ instances }: { instances: readonly InstanceRow[] }): boolean => instances.length > 0;

const idsOf = (instances: readonly InstanceRow[]): string[] =>
  instances
    .map(({ id }) => id)
    .sort()
    .slice(0, maxIds);

/** Sorted, so that the same problem has the same text. */
function listed(names: readonly string[]): string {
  const sorted = names.toSorted();
  const rest = sorted.length - maxNamed;
  return sorted.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
