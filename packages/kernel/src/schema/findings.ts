import type { ErrorCause } from '@chandlery/api';
import { type FieldPath, formatFieldPath } from './field-path.ts';
import { PatternClock } from './pattern-clock.ts';
import type { Ratchet } from './ratchet.ts';

/** More causes are not reported: a response must stay small. */
export const maxCauses = 50;

/** Where a check is in the value, and what has been found so far. Checks push and pop the path as they go. */
export interface Findings {
  readonly path: FieldPath;
  readonly causes: ErrorCause[];
  /** What patterns have cost so far. */
  readonly patterns: PatternClock;
  /** What an update has not changed and is therefore accepted. Undefined: everything is judged. */
  readonly ratchet?: Ratchet | undefined;
  /** The object or list whose fields or items are being checked. */
  container?: Container | undefined;
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/** Looks at a value and adds what is wrong with it. */
export type Check = (value: unknown, found: Findings) => void;

export const startFindings = (ratchet?: Ratchet): Findings => ({
  path: [],
  causes: [],
  patterns: new PatternClock(),
  ratchet,
});

/** The field that is being looked at. */
export const fieldOf = (found: Findings): string => formatFieldPath(found.path);

/** Whether the value at the current path is accepted because an update has not changed it. */
export const isUnchanged = (value: unknown, { ratchet, container, path }: Findings): boolean =>
  ratchet?.isUnchanged(value, container, path.at(-1)) ?? false;

export const isFull = (found: Findings): boolean => found.causes.length >= maxCauses;

/** Runs a check one level down. */
export function checkChild(check: Check, value: unknown, key: string | number, found: Findings): void {
  found.path.push(key);
  check(value, found);
  found.path.pop();
}

/** What a check would say of the whole value, changed or not, without saying it. */
export function tryCheck(check: Check, value: unknown, found: Findings): readonly ErrorCause[] {
  const attempt: Findings = { ...found, causes: [], ratchet: undefined };
  check(value, attempt);
  return attempt.causes;
}

/** Each cause once, and not too many. */
export function tidyCauses(causes: readonly ErrorCause[]): ErrorCause[] {
  if (causes.length < 2) return [...causes];
  const byText = new Map(causes.map(cause => [`${cause.field}\n${cause.reason}\n${cause.message}`, cause]));
  return [...byText.values()].slice(0, maxCauses);
}
