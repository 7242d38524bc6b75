import { isError } from '@chandlery/api';
import { type SmError, smError } from '../../model/sm-error.ts';
import type { Registry, RegistryWrite } from '../../registry/registry.ts';

const attempts = 5;

/**
 * Commits what is to be written, in one step. `decide` looks at the tables and is asked again when somebody was faster;
 * nothing to write is fine. Rejects with `ServiceUnavailable`: whoever asked must ask again.
 */
export async function record(registry: Registry, decide: () => readonly RegistryWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const writes = decide();
    if (writes.length === 0) return;
    try {
      return await registry.commit(writes);
    } catch (error) {
      if (attempt < attempts && isError(error, 'Conflict', 'AlreadyExists', 'NotFound')) continue;
      throw notRecorded(error);
    }
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
export const isTaken = (error: unknown): boolean =>
  isError(error, 'AlreadyExists') || (isError(error, 'UniqueViolation') && error.details.kind === 'id');
