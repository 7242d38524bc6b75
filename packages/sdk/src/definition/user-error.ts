import { ChandleryError } from '@chandlery/api';
import { terminalError } from '@chandlery/runtime';

/**
 * An error that only a change of the object or of the configuration can mend: an unknown version, a name that is taken.
 * It is shown as `Ready=False`, `UserError`, and nothing is tried again before such a change.
 */
export const userError = (message: string, hint?: string): ChandleryError =>
  terminalError(message, hint === undefined ? {} : { hint });

/** An error of a provider's own, with a stable code; what failed is tried again. */
export const sdkError = (code: string, message: string, hint?: string): ChandleryError =>
  new ChandleryError(code, message, hint === undefined ? {} : { hint });
