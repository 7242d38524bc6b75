import {
  conditionsOf,
  isDeleting,
  type StatedCondition,
  type StepResult,
  setCondition,
  setReadySummary,
} from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { phaseOf, summedUp } from '../../model/control-planes/phase.ts';
import { showFailure } from '../tenants/show-failure.ts';
import type { ControlPlaneStep } from './control-plane-deps.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Reports what is waited for, and stops the steps. */
export function waitFor(controlPlane: ControlPlane, condition: StatedCondition, now: Date): StepResult {
  setCondition(controlPlane, condition, now);
  summarize(controlPlane, condition.type, now);
  return 'stop';
}

/** Wraps a step so that its failures are reported in a condition of its own. */
export const showing = (type: string, reason: string, step: ControlPlaneStep): ControlPlaneStep =>
  showFailure(step, (controlPlane, message, now) => {
    waitFor(controlPlane, { type, status: 'False', reason, message }, now);
  });

/** Reports readiness; requeues after some days if the configuration says so. */
export const reportReady: ControlPlaneStep = function reportReady(controlPlane, deps, { now }) {
  summarize(controlPlane, undefined, now);
  const { reconcileMCPEveryXDays: days } = deps.config();
  return days > 0 ? { retryAfterMs: days * dayMs } : 'continue';
};

/** Reports the blocking condition first: during a deletion the earlier conditions do not count. */
function summarize(controlPlane: ControlPlane, blocking: string | undefined, now: Date): void {
  const conditions = conditionsOf(controlPlane);
  setReadySummary(controlPlane, blocking === undefined ? summedUp(conditions) : [blocking], now);
  const phase = phaseOf(conditionsOf(controlPlane), isDeleting(controlPlane));
  controlPlane.status = { ...controlPlane.status, phase };
}
