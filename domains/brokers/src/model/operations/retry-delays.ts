import type { BrokerSettings } from '../../settings.ts';
import type { OperationRow, PlanRow } from '../rows.ts';
import { isInCascade } from './operation-state.ts';

/** The time at which polling ends, counted from the first 202, whichever process received it. */
export function pollingEndsAtMs(operation: OperationRow, plan: PlanRow | undefined, settings: BrokerSettings): number {
  const began = Date.parse(operation.status.rescheduleAt ?? operation.createdAt);
  const planMs = (plan?.spec.maximumPollingDuration ?? 0) * 1000;
  return began + Math.min(settings.maximumPollingMs, planMs > 0 ? planMs : settings.maximumPollingMs);
}

/** How long to wait before the next poll. A broker may ask for more time, not for less; a day is the most. */
export function pollDelayMs(retryAfterSeconds: number | undefined, settings: BrokerSettings): number {
  const asked = Math.min((retryAfterSeconds ?? 0) * 1000, 24 * 60 * 60 * 1000);
  return Math.max(settings.pollingIntervalMs, asked);
}

/** Whether a broker asks for more time than it would have anyway. */
export const asksForMore = (retryAfterSeconds: number | undefined, settings: BrokerSettings): boolean =>
  (retryAfterSeconds ?? 0) * 1000 > settings.pollingIntervalMs;

/** When the next attempt to remove remains is made; undefined: never more, a person must look. */
export function nextMitigationMs(operation: OperationRow, nowMs: number, settings: BrokerSettings): number | undefined {
  const since = nowMs - Date.parse(operation.status.deletionScheduledAt ?? operation.createdAt);
  const delay =
    since > settings.mitigationLongAfterMs ? settings.mitigationLongIntervalMs : settings.mitigationIntervalMs;
  const limit = isInCascade(operation) ? settings.cascadeMitigationTimeoutMs : settings.reconciliationTimeoutMs;
  return since + delay > limit ? undefined : delay;
}

/** How long to wait before a request is repeated that the broker could not take just then. */
export function repeatDelayMs(
  attempts: number,
  retryAfterSeconds: number | undefined,
  settings: BrokerSettings,
): number {
  const grown = settings.pollingIntervalMs * 2 ** Math.min(attempts, 4);
  return Math.max((retryAfterSeconds ?? 0) * 1000, Math.min(grown, Math.max(settings.pollingIntervalMs, 60_000)));
}
