// Disruption budgets. Numbers and names as in Kubernetes 1.32.

import { int64, list, map, message, one, optionalInt32, optionalIntOrString, optionalString } from '../message.ts';
import { labelSelector, standardCondition } from './meta.ts';

/** How many pods may be missing at once. */
export const podDisruptionBudgetSpec = message('How many pods may be missing at once.', {
  minAvailable: optionalIntOrString(1, 'How many must stay, as number or percentage.'),
  selector: one(2, labelSelector, 'The pods that are counted.', { replaces: true }),
  maxUnavailable: optionalIntOrString(3, 'How many may be missing, as number or percentage.'),
  unhealthyPodEvictionPolicy: optionalString(4, 'Whether unhealthy pods may always be evicted.', {
    enum: ['AlwaysAllow', 'IfHealthyBudget'],
  }),
});

/** State of a budget. */
export const podDisruptionBudgetStatus = message('State of a budget.', {
  observedGeneration: int64(1, 'Generation that this is about.'),
  disruptedPods: map(2, 'time', 'Pods that are being evicted, and since when.'),
  disruptionsAllowed: optionalInt32(3, 'How many more may be evicted now.'),
  currentHealthy: optionalInt32(4, 'Pods that are healthy.'),
  desiredHealthy: optionalInt32(5, 'Pods that must be healthy.'),
  expectedPods: optionalInt32(6, 'Pods that are counted.'),
  conditions: list(7, standardCondition, 'States of the budget.', { keys: ['type'], mergeKey: 'type' }),
});
