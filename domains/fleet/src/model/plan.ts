import { fleetError } from '../errors.ts';
import type { FleetConfiguration, InstanceSize, InstanceType } from './configuration/configuration.ts';

/** What a plan names. */
export interface PlannedType {
  readonly type: InstanceType;
  /** Undefined: the first size of the type. */
  readonly sizeId: string | undefined;
}

/** Reads the type out of a plan `type.size`. Throws 21 for another shape and for an unknown type. */
export function typeOfPlan(plan: string, { instanceTypes }: FleetConfiguration): PlannedType {
  const [typeId, sizeId, ...more] = plan.split('.');
  if (!typeId || !sizeId || more.length > 0)
    throw fleetError(21, `plan "${plan}" is not valid: it must be <instance type>.<size>`);
  const type = instanceTypes.get(typeId);
  if (type === undefined)
    throw fleetError(21, `plan "${plan}" is not valid: instance types are ${[...instanceTypes.keys()].join(', ')}`);
  return { type, sizeId };
}

/** Returns the size that a plan names. Throws 42 for one that the type does not have. */
export function sizeOfPlan({ type, sizeId }: PlannedType): InstanceSize {
  const [first] = type.sizes.values();
  const size = sizeId === undefined ? first : type.sizes.get(sizeId);
  if (size !== undefined) return size;
  throw fleetError(
    42,
    `size "${sizeId}" is not supported by instance type "${type.id}": sizes are ${[...type.sizes.keys()].join(', ')}`,
  );
}
