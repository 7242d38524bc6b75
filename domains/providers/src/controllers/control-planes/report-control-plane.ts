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

/** Says what is waited for, and ends the pass: something has to change first. */
export function waitFor(controlPlane: ControlPlane, condition: StatedCondition, now: Date): StepResult {
  setCondition(controlPlane, condition, now);
  summarize(controlPlane, condition.type, now);
  return 'stop';
}

/** The step, with failures shown in a condition of its own. */
export const showing = (type: string, reason: string, step: ControlPlaneStep): ControlPlaneStep =>
  showFailure(step, (controlPlane, message, now) => {
    waitFor(controlPlane, { type, status: 'False', reason, message }, now);
  });

/** Sums up; and comes back after some days if the configuration wants that. */
export const reportReady: ControlPlaneStep = function reportReady(controlPlane, deps, { now }) {
  summarize(controlPlane, undefined, now);
  const { reconcileMCPEveryXDays: days } = deps.config();
  return days > 0 ? { retryAfterMs: days * dayMs } : 'continue';
};

/** What blocks is told first: while deleting, the conditions of better days do not count. */
function summarize(controlPlane: ControlPlane, blocking: string | undefined, now: Date): void {
  const conditions = conditionsOf(controlPlane);
  setReadySummary(controlPlane, blocking === undefined ? summedUp(conditions) : [blocking], now);
  const phase = phaseOf(conditionsOf(controlPlane), isDeleting(controlPlane));
  controlPlane.status = { ...controlPlane.status, phase };
}
