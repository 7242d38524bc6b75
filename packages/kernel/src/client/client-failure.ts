import { ChandleryError, toError } from '@chandlery/api';
import { apiReasonOfStoreError } from '../store/store.ts';

/** What a call rejects with for something that the kernel threw. */
export function clientFailure(thrown: unknown): ChandleryError {
  const error = toError(thrown);
  const reason = apiReasonOfStoreError.get(error.code);
  if (reason === undefined) return error;
  const { message, hint, details } = error;
  return new ChandleryError(reason, message, { ...(hint === undefined ? {} : { hint }), details, cause: error });
}
