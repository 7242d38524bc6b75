import { ChandleryError, isError } from '@chandlery/api';
import { configErrorCodes } from '@chandlery/platform';

/** Mistakes in a command line. The codes of the configuration mean the same. */
const usageErrorCodes = [...configErrorCodes, 'UnknownCommand', 'MissingArgument'] as const;
type UsageErrorCode = (typeof usageErrorCodes)[number];

export const usageError = (code: UsageErrorCode, message: string, hint?: string): ChandleryError =>
  new ChandleryError(code, message, hint === undefined ? {} : { hint });

/** True for mistakes in the command line, which end with exit code 2. */
export const isUsageError = (thrown: unknown): thrown is ChandleryError => isError(thrown, ...usageErrorCodes);
