import { ChandleryError, type ChandleryErrorOptions, isError } from '@chandlery/api';

/** What the runtime makes of a thrown error. */
export type ErrorClass =
  /** Tried again with back-off. */
  | 'transient'
  /** Not tried again until the object changes; people have to act. */
  | 'terminal'
  /** Somebody else wrote first: tried again at once, and nobody is told. */
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
  /** A pass took longer than its limit. */
  ReconcileTimeout: 'ReconcileTimeout',
} as const;
/** One of {@link runtimeErrorCodes}. */
export type RuntimeErrorCode = keyof typeof runtimeErrorCodes;

/** Says that only a change of the object can help: a wrong value, a missing permission that users must give. */
export const terminalError = (message: string, options: ChandleryErrorOptions = {}): ChandleryError =>
  new ChandleryError('TerminalError', message, options);

/** Sorts what a step threw. Unknown things are transient: trying again harms less than giving up. */
export function classifyError(thrown: unknown): ErrorClass {
  if (isError(thrown, 'TerminalError')) return 'terminal';
  return isError(thrown, 'Conflict') ? 'conflict' : 'transient';
}
