import type { JsonObject } from '@chandlery/api';
import { mergeDiff } from '@chandlery/runtime';
import { mergeJson } from './merge-json.ts';
import type { OfferedPlan } from './service-offer.ts';

/** A plan and the parameters requested beyond it. */
export interface Order {
  /** Undefined: a plan that is no longer offered. */
  readonly plan: OfferedPlan | undefined;
  readonly parameters: JsonObject;
}

/** The stored parameters: null is dropped. */
export const keptParameters = (parameters: JsonObject): JsonObject => mergeJson({}, parameters);

/** The spec of a new instance. */
export const specOf = ({ plan, parameters }: Order): JsonObject => mergeJson(plan?.spec ?? {}, parameters);

/**
 * The spec of an instance after a change. Values of the old plan are replaced by those of the new one, requested
 * parameters stay unless they are requested again (null gives a parameter back to the plan), and values of other
 * clients stay.
 */
export function changedSpec(
  live: JsonObject,
  { before, after, asked }: { readonly before: Order; readonly after: Order; readonly asked: JsonObject },
): JsonObject {
  const difference = (mergeDiff(specOf(before), specOf(after)) ?? {}) as JsonObject;
  return mergeJson(mergeJson(live, difference), keptParameters(asked));
}
