import { ChandleryError } from '@chandlery/api/errors';
import { formatKey, type ObjectKey, storeErrorCodes } from './store.ts';

/** Why an expectation does not hold. */
export type ExpectationFailure = 'missing' | 'exists' | 'revision';

const explanations: Readonly<Record<ExpectationFailure, string>> = {
  missing: 'does not exist',
  exists: 'exists already',
  revision: 'has been changed meanwhile',
};

export function preconditionFailed(key: ObjectKey, kind: ExpectationFailure): ChandleryError {
  const name = formatKey(key);
  const message = `object ${name} ${explanations[kind]}`;
  return new ChandleryError(storeErrorCodes.PreconditionFailed, message, { details: { name, kind } });
}

export function uniqueViolation(text: string): ChandleryError {
  const message = `another object holds the unique key ${JSON.stringify(text)}`;
  return new ChandleryError(storeErrorCodes.UniqueViolation, message, { details: { name: text } });
}

export function unavailable(reason: string, cause?: unknown): ChandleryError {
  return new ChandleryError(storeErrorCodes.Unavailable, `the store is unavailable: ${reason}`, { cause });
}

/** How to repair a damaged store, for messages. */
export const repairHint =
  'restore it from a backup; "chandlery store verify" lists all damage (docs/operating.md, Damaged storage)';

/** What to do first when the object is needed. */
const verifyHint = 'Run "chandlery store verify", then restore a backup: docs/operating.md, Damaged storage.';

/** An object whose rows are not what was written; `name` is its key by `formatKey`. */
export function damagedObject(name: string, problem: string, cause?: unknown): ChandleryError {
  const message = `the stored object ${name} is damaged: ${problem}; ${repairHint}`;
  const details = { name, kind: 'damaged' };
  return new ChandleryError(storeErrorCodes.StoreDamaged, message, { details, hint: verifyHint, cause });
}

/** Damage that no single object can be named for. */
export function damagedStore(problem: string, cause?: unknown): ChandleryError {
  const message = `the store is damaged: ${problem}; ${repairHint}`;
  return new ChandleryError(storeErrorCodes.StoreDamaged, message, { hint: verifyHint, cause });
}

export function notEmpty(): ChandleryError {
  const message = 'a snapshot can be loaded into an empty store only, and this one has been written to';
  return new ChandleryError(storeErrorCodes.NotEmpty, message);
}

/** The revisions that a store can answer for. */
export interface RevisionWindow {
  /** The last visible one. */
  readonly revision: number;
  /** History up to and including it is forgotten; the state as of it is still known. */
  readonly compacted: number;
}

/** Throws `Compacted` or `FutureRevision` unless the store knows everything that happened after `revision`. */
export function assertReadable(revision: number, window: RevisionWindow): void {
  if (revision < window.compacted) {
    const message = `revision ${revision} is forgotten: history begins after ${window.compacted}`;
    throw new ChandleryError(storeErrorCodes.Compacted, message);
  }
  if (revision > window.revision) {
    const message = `revision ${revision} lies in the future: the current one is ${window.revision}`;
    throw new ChandleryError(storeErrorCodes.FutureRevision, message);
  }
}
