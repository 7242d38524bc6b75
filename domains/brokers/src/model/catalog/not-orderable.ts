import type { PlanFacts } from './catalog.ts';

/** In the metadata of plans of the landscape whose instances are not made by orders. */
export const notOrderable = { orderable: false } as const;

/** Whether instances of a plan with this metadata can be ordered. */
export const isOrderable = ({ metadata }: Pick<PlanFacts, 'metadata'>): boolean =>
  metadata?.['orderable'] !== notOrderable.orderable;
