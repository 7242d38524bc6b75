import {
  apiError,
  fromLabelSelectorObject,
  type KubeObject,
  type LabelSelectorObject,
  matchesLabels,
} from '@chandlery/api';
import type { Pod } from '../behaviours/workloads/objects.ts';

interface BudgetCondition {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** A PodDisruptionBudget, as far as evictions use it. */
export interface Budget extends KubeObject {
  spec?: { selector?: LabelSelectorObject; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
    conditions?: BudgetCondition[];
  };
}

/** Evictions that no controller has confirmed by a new count; more mean that no controller is running. */
const maxDisruptedPods = 2000;

/** Pods that do not run are no loss. */
export const countsForBudgets = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? 'Pending');

/** A budget without a selector is about no pod, one with an empty selector about all. */
export function isAbout({ spec }: Budget, pod: Pod): boolean {
  if (spec?.selector === undefined || spec.selector === null) return false;
  return matchesLabels(fromLabelSelectorObject(spec.selector), pod.metadata.labels);
}

/** Whether a controller has ever counted the pods of the budget. */
export const isCounted = ({ status }: Budget): boolean =>
  status?.observedGeneration !== undefined || status?.disruptionsAllowed !== undefined;

/** Pods that are not ready may be evicted when the budget says so, or when enough others are ready. */
export function mayLoseUnready({ spec, status }: Budget, pod: Pod): boolean {
  if (isReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(condition => condition.type === 'Ready' && condition.status === 'True');

/** The budget with one disruption less, by the pod; throws `TooManyRequests` when it has none left. */
export function spend(budget: Budget, pod: string, now: string): Budget {
  const { status, metadata } = budget;
  const { name = '', generation = 0 } = metadata;
  if (status === undefined || (status.observedGeneration ?? generation) < generation)
    throw budgetError(`The disruption budget ${name} is still being processed by the server.`, 10);
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0, disruptedPods = {} } = status;
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw apiError('Forbidden', `poddisruptionbudgets.policy "${name}" is forbidden: ${why}`);
  }
  if (disruptionsAllowed <= 0)
    throw budgetError(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  const spent = {
    ...status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [pod]: now },
  };
  return { ...budget, status: disruptionsAllowed === 1 ? exhausted(spent, now) : spent };
}

/** The status says that nothing more may go, where it says anything about it. */
function exhausted(status: NonNullable<Budget['status']>, now: string): NonNullable<Budget['status']> {
  if (status.conditions === undefined) return status;
  const denied = { status: 'False', reason: 'InsufficientPods', lastTransitionTime: now };
  const conditions = status.conditions.map(condition =>
    condition.type === 'DisruptionAllowed' && condition.status === 'True' ? { ...condition, ...denied } : condition,
  );
  return { ...status, conditions };
}

/** As in Kubernetes, only a budget that is about to be counted says when to come back: clients wait as long by themselves. */
const budgetError = (message: string, retryAfterSeconds?: number): Error =>
  apiError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    causes: [{ reason: 'DisruptionBudget', message }],
  });
