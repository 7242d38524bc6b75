import { ChandleryError } from '@chandlery/api';
import { terminalError } from '@chandlery/runtime';

/** The codes of errors that adapters throw, besides the runtime's `TerminalError`. */
export const portErrorCodes = {
  /** A system outside cannot be reached, is overloaded or failed; a retry may help. */
  PeerUnavailable: 'PeerUnavailable',
  /** Unknown client or wrong secret. */
  InvalidClient: 'InvalidClient',
} as const;

/** Says that a system outside has not done what was asked, and that a retry may help. */
export const peerUnavailable = (message: string, cause?: unknown): ChandleryError =>
  new ChandleryError(portErrorCodes.PeerUnavailable, message, { cause });

/** Says that a system outside rejects what was asked, and that only a change of the request or configuration can help. */
export const peerRejected = (message: string, hint: string, cause?: unknown): ChandleryError =>
  terminalError(message, { hint, cause });
