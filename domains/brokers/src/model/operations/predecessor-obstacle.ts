import type { InstanceRow, PlanRow, Registry } from '../rows.ts';

/** A binding that is to be succeeded, and where. */
interface Succession {
  /** The instance of the new binding. */
  readonly instance: InstanceRow;
  /** The plan that the broker knows it by. */
  readonly plan: PlanRow;
  readonly predecessorId: string;
}

/** Why a new binding cannot be the successor of another; undefined when it can. */
export function predecessorObstacle(
  registry: Registry,
  { instance, plan, predecessorId }: Succession,
): string | undefined {
  if (plan.spec.bindingRotatable !== true) return `bindings of plan ${plan.spec.name} cannot be rotated`;
  const predecessor = registry.bindings.get(predecessorId);
  const isOfSame = predecessor?.spec.instanceId === instance.id && predecessor.tenant === instance.tenant;
  if (!isOfSame) return 'the predecessor must be a binding of the same service instance';
  return predecessor.status.ready === true ? undefined : 'the predecessor is not ready';
}
