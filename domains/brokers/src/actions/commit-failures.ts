import { isError } from '@chandlery/api';
import { smError } from '../errors.ts';

/** What a commit made, and who may be in its way. */
interface Attempt {
  /** "service broker". */
  readonly noun: string;
  /** The ids of rows that hold what was wanted, by the name of the unique key. */
  readonly holders: Readonly<Record<string, () => readonly string[]>>;
}

/**
 * Translates a failed commit for the caller: `Conflict` when another row holds a unique key. Other errors are returned
 * unchanged, including unique keys of the caller's own writes.
 */
export function explainCommit(error: unknown, { noun, holders }: Attempt): unknown {
  if (!isError(error, 'UniqueViolation', 'AlreadyExists')) return error;
  const key = error.code === 'AlreadyExists' ? 'id' : error.details.kind;
  const holdersOf = key === undefined ? undefined : holders[key];
  if (holdersOf === undefined) return error;
  return smError('Conflict', `found conflicting ${noun}`, { ids: holdersOf() }, { cause: error });
}
