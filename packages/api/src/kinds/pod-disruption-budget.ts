import { builtIn, withStatus } from './built-in.ts';
import { age, count, text } from './columns/columns.ts';
import { intOrStringText } from './columns/format.ts';
import { numberAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import { podDisruptionBudgetSpec, podDisruptionBudgetStatus } from './messages/disruption.ts';

/** How many pods may be missing at once. */
export const podDisruptionBudget = builtIn({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  scope: 'Namespaced',
  description: 'How many pods may be missing at once.',
  fields: {
    spec: one(2, podDisruptionBudgetSpec, 'The budget.'),
    status: one(3, podDisruptionBudgetStatus, 'What is left of it.'),
  },
  subresources: withStatus,
  columns: [
    text('Min Available', object => intOrStringText(valueAt(object, 'spec', 'minAvailable'), 'N/A')),
    text('Max Unavailable', object => intOrStringText(valueAt(object, 'spec', 'maxUnavailable'), 'N/A')),
    count('Allowed Disruptions', object => numberAt(object, 'status', 'disruptionsAllowed')),
    age,
  ],
});
