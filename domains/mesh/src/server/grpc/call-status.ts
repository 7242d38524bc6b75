import { toError } from '@chandlery/api';
import { discoveryErrorStatus, type StatusName } from '../../errors.ts';

export interface CallStatus {
  readonly code: StatusName;
  readonly details: string;
}

const httpStatusByName: Partial<Record<StatusName, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
};

/** The status of a thrown error. Internal errors disclose no details. */
export function callStatusOf(thrown: unknown): CallStatus {
  const { code, message, hint } = toError(thrown);
  const name = discoveryErrorStatus[code];
  if (!name) return { code: 'INTERNAL', details: 'internal error; see the log of the control plane' };
  return { code: name, details: hint ? `${message}. ${hint}` : message };
}

/** The HTTP status of the REST interface. */
export const httpStatusOf = ({ code }: CallStatus): number => httpStatusByName[code] ?? 500;
