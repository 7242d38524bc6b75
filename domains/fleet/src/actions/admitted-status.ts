import { formatMicroTime } from '@chandlery/api';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import type { OrderDecision } from './decide-order.ts';

/** The status of an instance whose order was accepted. */
export function admittedStatus(
  { registry, clock }: Pick<ActionDeps, 'registry' | 'clock'>,
  { type, size, quota, cluster }: OrderDecision,
  holds: readonly string[],
): InstanceRow['status'] {
  const now = clock.now();
  const { lifespanSeconds } = size;
  return {
    state: 'accepted',
    stateSince: formatMicroTime(now),
    instanceType: type.id,
    sizeId: size.id,
    quotaType: 'quota-management-list',
    subscriptionId: registry.newFleetId(),
    holds: [...holds],
    units: size.capacityConsumed,
    quotaScope: quota.scope,
    quotaUnits: quota.units,
    ...(cluster === undefined ? {} : { clusterId: cluster.spec.clusterId }),
    ...(lifespanSeconds === undefined
      ? {}
      : { expiresAt: formatMicroTime(new Date(now.getTime() + lifespanSeconds * 1000)) }),
  };
}
