import { isError } from '@chandlery/api';

/** For `catch`: turns a rejection with `NotFound` into undefined and passes on any other. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
