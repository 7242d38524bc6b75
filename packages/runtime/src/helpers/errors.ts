import { ChandleryError, type ChandleryErrorOptions, isError } from '@chandlery/api';

/** What the runtime makes of a thrown error. */
export type ErrorClass =
  /** Tried again with back-off. */
  | 'transient'
  /** Not tried again until the object changes; people have to act. */
  | 'terminal'
  /** Another writer was first: retried at once, without a report. */
  | 'conflict';

/** The codes of errors that this package throws. */
export const runtimeErrorCodes = {
  /** Trying again would not help. */
  TerminalError: 'TerminalError',
  /** An object's owner is not stored yet. */
  OwnerUnknown: 'OwnerUnknown',
  /** An object has another controller. */
  AlreadyControlled: 'AlreadyControlled',
  /** A holder with a newer fencing token has written the object. */
  Fenced: 'Fenced',
  /** Options that contradict each other. */
  InvalidOptions: 'InvalidOptions',
  /** A reconcile took longer than its limit. */
  ReconcileTimeout: 'ReconcileTimeout',
} as const;
/** One of {@link runtimeErrorCodes}. */
export type RuntimeErrorCode = keyof typeof runtimeErrorCodes;

/** Says that only a change of the object can help: a wrong value, a missing permission that users must give. */
export const terminalError = (message: string, options: ChandleryErrorOptions = {}): ChandleryError =>
  new ChandleryError('TerminalError', message, options);

/** Classifies what a step threw. Unknown errors are transient: a retry is cheaper than giving up. */
export function classifyError(thrown: unknown): ErrorClass {
  if (isError(thrown, 'TerminalError')) return 'terminal';
  return isError(thrown, 'Conflict') ? 'conflict' : 'transient';
}
