import { ChandleryError } from '@chandlery/api';
import { terminalError } from '@chandlery/runtime';

/**
 * An error that only a change of the object or of the configuration resolves, such as an unknown version or a name
 * conflict. It is reported as `Ready=False` with the reason `UserError`, and not retried before such a change.
 */
export const userError = (message: string, hint?: string): ChandleryError =>
  terminalError(message, hint === undefined ? {} : { hint });

/** An error of a provider, with a stable code. The reconcile is retried. */
export const sdkError = (code: string, message: string, hint?: string): ChandleryError =>
  new ChandleryError(code, message, hint === undefined ? {} : { hint });
