import { ChandleryError, toError } from '@chandlery/api';

/**
 * An error that the runtime retries with back-off. For work whose failures no change of an object resolves, so that a
 * terminal error must not end the retries.
 */
export function asTransient(thrown: unknown): ChandleryError {
  const error = toError(thrown);
  if (error.code !== 'TerminalError') return error;
  return new ChandleryError('RetryableError', error.message, { cause: thrown });
}
