import {
  formatTime,
  fromLabelSelectorObject,
  type KubeObject,
  type LabelSelectorObject,
  matchesLabels,
  parseTime,
} from '@chandlery/api';
import { stateCondition } from './conditions.ts';
import { resolveAmount, sum } from './numbers.ts';
import type { PodObject, WorkloadCondition } from './objects.ts';
import { isPodReady } from './pods.ts';

/** A PodDisruptionBudget. */
export interface DisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelectorObject;
  };
  status?: {
    observedGeneration?: number;
    disruptedPods?: Record<string, string>;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    expectedPods?: number;
    conditions?: WorkloadCondition[];
  };
}

/** The owner of pods that says how many there should be. */
export interface PodScale {
  readonly uid: string;
  readonly replicas: number;
}

/** What a budget is counted from. */
export interface DisruptionView {
  /** All pods that the budget selects. */
  readonly pods: readonly PodObject[];
  /** The scale of a pod's controller; undefined for a pod without one. Throws for a controller that has no scale. */
  readonly scaleOf: (pod: PodObject) => PodScale | undefined;
}

/** How long an evicted pod may take to be marked as deleted before it counts again. */
const deletionTimeoutMs = 2 * 60_000;

/** Whether a budget covers the pod: without a selector none, with an empty one all. */
export const isBudgeted = ({ spec }: DisruptionBudget, { metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  spec?.selector !== undefined &&
  spec.selector !== null &&
  matchesLabels(fromLabelSelectorObject(spec.selector), metadata.labels);

/** The status of a budget. Its parts are written together, so that evictions never see half of it. */
export function countBudget(budget: DisruptionBudget, view: DisruptionView, now: Date): DisruptionBudget['status'] {
  const disruptedPods = stillDisrupted(budget, view.pods, now);
  const { expectedPods, desiredHealthy } = expectationOf(budget, view);
  const currentHealthy = view.pods.filter(
    pod =>
      pod.metadata.deletionTimestamp === undefined &&
      !Object.hasOwn(disruptedPods, pod.metadata.name ?? '') &&
      isPodReady(pod),
  ).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const reason = disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  return {
    ...observed(budget),
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: conditionsOf(budget, { isAllowed: disruptionsAllowed > 0, reason }, now),
  };
}

/** The status of a budget that cannot be counted: no eviction is allowed. */
export function uncountable(budget: DisruptionBudget, message: string, now: Date): DisruptionBudget['status'] {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, disruptedPods } = budget.status ?? {};
  return {
    ...observed(budget),
    ...(disruptedPods === undefined ? {} : { disruptedPods }),
    disruptionsAllowed: 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: conditionsOf(budget, { isAllowed: false, reason: 'SyncFailed', message }, now),
  };
}

/** When an evicted pod that still exists counts again, in milliseconds; undefined without one. */
export function nextRecountMs({ status }: DisruptionBudget): number | undefined {
  const times = Object.values(status?.disruptedPods ?? {}).map(disruptedUntilMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

const observed = ({ metadata }: DisruptionBudget): { observedGeneration?: number } =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

/** Evicted pods that are not marked as deleted yet. They count as removed. */
function stillDisrupted({ status }: DisruptionBudget, pods: readonly PodObject[], now: Date): Record<string, string> {
  const present = new Set(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name),
  );
  const disrupted = Object.entries(status?.disruptedPods ?? {});
  return Object.fromEntries(
    disrupted.filter(([name, since]) => present.has(name) && disruptedUntilMs(since) > now.getTime()),
  );
}

const disruptedUntilMs = (since: string): number => (parseTime(since)?.getTime() ?? 0) + deletionTimeoutMs;

interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** A minimum number of pods needs no scale; percentages and maxima refer to the controllers' scale. */
function expectationOf({ spec }: DisruptionBudget, view: DisruptionView): Expectation {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable !== undefined && maxUnavailable !== null) {
    const expectedPods = expectedScale(view);
    const missing = resolveAmount(maxUnavailable, expectedPods, Math.ceil);
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - missing) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: view.pods.length, desiredHealthy: minAvailable };
  if (minAvailable === undefined || minAvailable === null) return { expectedPods: view.pods.length, desiredHealthy: 0 };
  const expectedPods = expectedScale(view);
  return { expectedPods, desiredHealthy: resolveAmount(minAvailable, expectedPods, Math.ceil) };
}

/** The sum of the controllers' scales. Pods without a controller are not expected. */
function expectedScale({ pods, scaleOf }: DisruptionView): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const scale = scaleOf(pod);
    if (scale !== undefined) scales.set(scale.uid, scale.replicas);
  }
  return sum([...scales.values()]);
}

function conditionsOf(
  { metadata, status }: DisruptionBudget,
  state: { readonly isAllowed: boolean; readonly reason: string; readonly message?: string },
  now: Date,
): WorkloadCondition[] {
  const { isAllowed, reason, message = '' } = state;
  const stated = { type: 'DisruptionAllowed', status: isAllowed ? 'True' : 'False', reason, message } as const;
  const { generation } = metadata;
  return stateCondition(status?.conditions, stated, now).map(condition =>
    condition.type === stated.type && generation !== undefined
      ? {
          ...condition,
          lastTransitionTime: condition.lastTransitionTime ?? formatTime(now),
          observedGeneration: generation,
        }
      : condition,
  );
}
