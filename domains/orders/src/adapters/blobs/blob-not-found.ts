import { ChandleryError } from '@chandlery/api';

/** Returns the error of a blob that is not there. */
export const blobNotFound = (digest: string, cause?: unknown): ChandleryError =>
  new ChandleryError('NotFound', `there is no blob ${digest}`, { cause });
