import type { Expectation } from './store.ts';
import type { ExpectationFailure } from './store-errors.ts';

/** Expectations as numbers, for messages and SQL parameters: a revision (never negative), or one of these. */
export const expectationCodes = { absent: -1, present: -2, any: -3 } as const;

export function encodeExpectation(expectation: Expectation): number {
  return expectation.type === 'revision' ? expectation.revision : expectationCodes[expectation.type];
}

/** Only something that exists can be deleted, so `any` means `present` there. */
export function encodeDeleteExpectation(expectation: Expectation): number {
  return expectation.type === 'any' ? expectationCodes.present : encodeExpectation(expectation);
}

/** Why an encoded expectation does not hold for an object at `revision` (undefined: there is none). */
export function expectationFailure(expected: number, revision: number | undefined): ExpectationFailure | undefined {
  if (expected === expectationCodes.any) return undefined;
  if (expected === expectationCodes.absent) return revision === undefined ? undefined : 'exists';
  if (revision === undefined) return 'missing';
  return expected === expectationCodes.present || expected === revision ? undefined : 'revision';
}
