import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import { type SmError, smError } from '../../errors.ts';
import type { Registry, RegistryWrite } from '../../model/rows.ts';

/**
 * Commits the writes that `decide` returns, in one step. `decide` reads the tables and is called again after a
 * conflict; it may return no writes. Rejects with `ServiceUnavailable`: the client must retry.
 */
export async function commitRecord(registry: Registry, decide: () => readonly RegistryWrite[]): Promise<void> {
  try {
    await commitAnew(registry, decide);
  } catch (error) {
    throw notRecorded(error);
  }
}

/** The broker has done its part, we have not. */
export const notRecorded = (cause: unknown): SmError =>
  smError(
    'ServiceUnavailable',
    'what the broker did could not be recorded; try again',
    { isRetryable: true },
    { cause },
  );

/** Whether a commit failed because the id is taken. */
export const isIdTaken = (error: unknown): boolean =>
  isError(error, 'AlreadyExists') || (isError(error, 'UniqueViolation') && error.details.kind === 'id');
