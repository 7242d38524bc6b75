import { type InternalObject, ownPlatformId } from '../../kinds/index.ts';
import { available, notReady, statedConditions, synced } from '../operations/row-conditions.ts';
import type { InstanceRow, PlanRow } from '../rows.ts';
import { adoptedLabel, messageOf } from './decide-object.ts';

/** What the row of a domain's object says besides. */
interface AdoptedSpec {
  readonly name: string;
  readonly plan: PlanRow;
  /** The name of the source. */
  readonly source: string;
}

/** The spec of an instance that was made through the API of its domain. */
export const adoptedSpec = (object: InternalObject, { name, plan, source }: AdoptedSpec): InstanceRow['spec'] => ({
  name,
  planId: plan.id,
  platformId: ownPlatformId,
  labels: { [adoptedLabel]: [source], ...(object.username === undefined ? {} : { ordered_by: [object.username] }) },
});

interface StatusFacts {
  readonly plan: PlanRow;
  /** Default: the row is new. */
  readonly before?: InstanceRow;
  readonly now: Date;
}

/** The status of such an instance: as far as its object is. */
export function adoptedStatus(object: InternalObject, { plan, before, now }: StatusFacts): InstanceRow['status'] {
  const { progress, name, tenant } = object;
  const isReady = progress.state === 'succeeded';
  const generation = before?.generation ?? 1;
  const stated = isReady
    ? [available, synced]
    : [notReady(progress.state === 'failed' ? 'Failed' : 'Creating', messageOf(progress))];
  return {
    ...withListening(before?.status ?? {}, object),
    ready: isReady,
    usable: isReady,
    planId: plan.id,
    observedGeneration: generation,
    context: before?.status.context ?? { platform: ownPlatformId, instance_name: name, tenant },
    conditions: statedConditions({ generation, status: before?.status ?? {} }, stated, now),
  };
}

/** A status with where the object takes connections. */
export function withListening(status: InstanceRow['status'], { listens }: InternalObject): InstanceRow['status'] {
  const { listens: _, ...kept } = status;
  return { ...kept, ...(listens && { listens: { ...listens, endpoints: [...listens.endpoints] } }) };
}
