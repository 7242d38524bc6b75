import { fieldCause, type LabelSelectorObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { countOrPercentCauses } from './checks.ts';
import { readSelector } from './template-rules.ts';

interface BudgetSpec {
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  selector?: LabelSelectorObject;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Disruption budgets are stated from one side only: what must stay, or what may be missing. */
export const podDisruptionBudgetBehaviour: Behaviour = {
  validate(object) {
    const { minAvailable, maxUnavailable, selector } = (object['spec'] ?? {}) as BudgetSpec;
    if (isGiven(minAvailable) && isGiven(maxUnavailable)) {
      return [fieldCause.invalid('spec', object['spec'], 'minAvailable and maxUnavailable cannot be both set')];
    }
    const read = readSelector('spec.selector', selector ?? {});
    return [
      ...countOrPercentCauses('spec.minAvailable', minAvailable, 100),
      ...countOrPercentCauses('spec.maxUnavailable', maxUnavailable, 100),
      ...('requirements' in read ? [] : read),
    ];
  },
};
