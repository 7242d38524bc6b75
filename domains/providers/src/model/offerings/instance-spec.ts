import type { JsonObject } from '@chandlery/api';
import { mergeDiff } from '@chandlery/runtime';
import { mergeJson } from './merge-json.ts';
import type { OfferedPlan } from './service-offer.ts';

/** A plan and what somebody asked for beyond it. */
export interface Order {
  /** Undefined: a plan that is no longer offered. */
  readonly plan: OfferedPlan | undefined;
  readonly parameters: JsonObject;
}

/** Parameters as they are kept: null says nothing. */
export const keptParameters = (parameters: JsonObject): JsonObject => mergeJson({}, parameters);

/** The spec of a new instance. */
export const specOf = ({ plan, parameters }: Order): JsonObject => mergeJson(plan?.spec ?? {}, parameters);

/**
 * The spec of an instance after a change. What came from the old plan gives way to the new one, what was asked for stays
 * unless it is asked for anew (null gives it back to the plan), and what others have set stays.
 */
export function changedSpec(
  live: JsonObject,
  { before, after, asked }: { readonly before: Order; readonly after: Order; readonly asked: JsonObject },
): JsonObject {
  const difference = (mergeDiff(specOf(before), specOf(after)) ?? {}) as JsonObject;
  return mergeJson(mergeJson(live, difference), keptParameters(asked));
}
