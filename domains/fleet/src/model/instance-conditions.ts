import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '@chandlery/api';
import type { InstanceStatus } from './instance-events.ts';

/** What a condition says; the time of its transition is filled in. */
export type StatedInstanceCondition = Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>;

/** Returns the conditions with one updated, sorted by type. Stating the same again changes nothing. */
export function withCondition(
  conditions: readonly Condition[] = [],
  stated: StatedInstanceCondition,
  now: string,
): Condition[] {
  const before = conditions.find(({ type }) => type === stated.type);
  const lastTransitionTime = before?.status === stated.status ? before.lastTransitionTime : now;
  const condition = { ...stated, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  if (before !== undefined && isDeepStrictEqual({ ...before }, condition)) return [...conditions];
  const others = conditions.filter(({ type }) => type !== stated.type);
  return [...others, condition].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

/** Whether an instance can be used, as a condition. */
export function readyCondition({
  state,
  failedReason,
  agentReady,
  routesCreated,
  routesProblem,
}: InstanceStatus): StatedInstanceCondition {
  const stated = (status: Condition['status'], reason: string, message = ''): StatedInstanceCondition => ({
    type: 'Ready',
    status,
    reason,
    message,
  });
  if (state === 'ready') return stated('True', 'Available');
  if (state === 'failed') return stated('False', 'Failed', failedReason ?? '');
  if (routesProblem !== undefined && (state === 'provisioning' || state === 'resuming'))
    return stated('False', 'RoutesRejected', routesProblem);
  if (state !== 'provisioning') return stated('False', capitalised(state ?? 'unadmitted'));
  if (!agentReady) return stated('False', 'Provisioning', 'the agent has not reported it as ready');
  return stated('False', 'Provisioning', routesCreated ? '' : 'its DNS records are not in force');
}

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
