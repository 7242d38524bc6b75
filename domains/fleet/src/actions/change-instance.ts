import { isDeepStrictEqual } from 'node:util';
import { commitAnew } from '@chandlery/registry';
import { fleetError } from '../errors.ts';
import { readyCondition, withCondition } from '../model/instance-conditions.ts';
import type { InstanceEvent, InstanceStatus } from '../model/instance-events.ts';
import { applyTransition, transition } from '../model/transitions.ts';
import { type FleetWrite, type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';

/** The status after some events in turn. Throws the error with which an event is rejected. */
export function statusAfter(status: InstanceStatus, events: readonly InstanceEvent[], now: string): InstanceStatus {
  return events.reduce((before, event) => {
    const result = transition(before, event);
    if (result.type === 'reject') throw fleetError(result.code, result.reason);
    return result.type === 'to' ? applyTransition(before, result, now) : before;
  }, status);
}

/** The write that puts a status into force, with its conditions; none when nothing has changed. */
export function statusWrites(row: InstanceRow, status: InstanceStatus, now: string): readonly FleetWrite[] {
  if (isDeepStrictEqual({ ...row.status }, status)) return [];
  const conditions = withCondition(status.conditions, readyCondition(status), now);
  return [updateRow({ table: 'instances', row, status: { ...status, conditions } })];
}

/**
 * Applies the events that `decide` returns for the present row; a row that changes meanwhile is read and decided on again. Nothing
 * happens to a row that no longer exists.
 */
export async function changeInstance(
  { registry }: Pick<ActionDeps, 'registry'>,
  id: string,
  decide: (row: InstanceRow) => readonly InstanceEvent[],
): Promise<void> {
  await commitAnew<FleetWrite>(registry, () => {
    const row = registry.instances.get(id);
    if (row === undefined) return [];
    const now = registry.now();
    return statusWrites(row, statusAfter(row.status, decide(row), now), now);
  });
}
