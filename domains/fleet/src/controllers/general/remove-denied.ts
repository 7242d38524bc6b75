import type { InstanceStep } from '../instance-step.ts';
import type { DeletionBudget } from './deletion-budget.ts';

/** Deletes instances of owners who are on the deny list, as many as the budget allows. */
export const createRemoveDenied =
  (budget: DeletionBudget): InstanceStep =>
  (draft, { recordEvent }, { product, now }) => {
    if (product === undefined) return 'stop';
    const { settings, denyList } = product.configuration;
    if (!settings.enableDenyList || !denyList.has(draft.spec.owner)) return 'continue';
    const waitMs = budget.take(product.row.id, settings.maxDeletionsPerMinute, now);
    if (waitMs > 0) return { retryAfterMs: waitMs };
    draft.apply({ type: 'delete', by: 'denied-owner' });
    recordEvent(draft.row, { type: 'Warning', reason: 'OwnerDenied', message: 'deleted because its owner is denied' });
    return 'stop';
  };
