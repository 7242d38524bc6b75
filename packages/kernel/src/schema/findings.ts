import type { ErrorCause } from '@chandlery/api';
import { type FieldPath, formatFieldPath } from './field-path.ts';
import { PatternClock } from './pattern-clock.ts';

/** More causes help nobody, and an answer must stay small. */
export const maxCauses = 50;

/** Where a check is in the value, and what has been found so far. Checks push and pop the path as they go. */
export interface Findings {
  readonly path: FieldPath;
  readonly causes: ErrorCause[];
  /** What patterns have cost so far. */
  readonly patterns: PatternClock;
}

/** Looks at a value and adds what is wrong with it. */
export type Check = (value: unknown, found: Findings) => void;

export const startFindings = (): Findings => ({ path: [], causes: [], patterns: new PatternClock() });

/** The field that is being looked at. */
export const fieldOf = (found: Findings): string => formatFieldPath(found.path);

export const isFull = (found: Findings): boolean => found.causes.length >= maxCauses;

/** Runs a check one level down. */
export function checkChild(check: Check, value: unknown, key: string | number, found: Findings): void {
  found.path.push(key);
  check(value, found);
  found.path.pop();
}

/** What a check would say, without saying it. */
export function tryCheck(check: Check, value: unknown, found: Findings): readonly ErrorCause[] {
  const attempt: Findings = { ...found, causes: [] };
  check(value, attempt);
  return attempt.causes;
}

/** Each cause once, and not too many. */
export function tidyCauses(causes: readonly ErrorCause[]): ErrorCause[] {
  if (causes.length < 2) return [...causes];
  const byText = new Map(causes.map(cause => [`${cause.field}\n${cause.reason}\n${cause.message}`, cause]));
  return [...byText.values()].slice(0, maxCauses);
}
