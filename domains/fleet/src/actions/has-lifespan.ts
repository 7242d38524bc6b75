import { trialType } from '../model/quota.ts';
import type { ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';

/** Whether an instance has a fixed lifespan: trials, and sizes that are configured with one. */
export function hasLifespan({ configuration }: ConfiguredProduct, { status }: InstanceRow): boolean {
  const { instanceType = '', sizeId = '' } = status;
  const size = configuration.instanceTypes.get(instanceType)?.sizes.get(sizeId);
  return instanceType === trialType || size?.lifespanSeconds !== undefined;
}
