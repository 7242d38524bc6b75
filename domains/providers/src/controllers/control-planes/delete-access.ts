import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { type ControlPlaneDeps, pathOf } from './control-plane-deps.ts';
import { removeUnwanted } from './remove-access.ts';
import { waitFor } from './report-control-plane.ts';

/** Deletes all AccessRequests and waits until they are removed. */
export async function deleteAccess(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const left = await removeUnwanted(controlPlane, [], deps);
  const { access: _, ...status } = controlPlane.status ?? {};
  controlPlane.status = status;
  if (left.length === 0) return 'continue';
  const message = `Waiting on the platform cluster for AccessRequests to go: ${left.map(pathOf).sort().join(', ')}.`;
  const reason = 'WaitingForAccessRequestDeletion';
  return waitFor(controlPlane, { type: 'AllAccessReady', status: 'False', reason, message }, now);
}
