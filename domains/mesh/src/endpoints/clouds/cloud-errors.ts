import { ChandleryError } from '@chandlery/api';
import type { cloudErrorCodes } from '../../ports/clouds.ts';

/** An error of a cloud. It must not quote requests, which are signed or contain tokens. */
export const cloudError = (
  code: keyof typeof cloudErrorCodes,
  message: string,
  options: { readonly hint?: string; readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
): ChandleryError => {
  const { hint, retryAfterSeconds, cause } = options;
  return new ChandleryError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    ...(cause === undefined ? {} : { cause }),
  });
};
