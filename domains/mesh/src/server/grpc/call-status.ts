import { toError } from '@chandlery/api';
import type { grpcCodes } from './grpc-status.ts';

/** How a call is refused or ended: gRPC's words. */
export type StatusName = Exclude<keyof typeof grpcCodes, 'OK'>;

export interface CallStatus {
  readonly code: StatusName;
  readonly details: string;
}

const statusByErrorCode: Readonly<Record<string, StatusName>> = {
  Aborted: 'ABORTED',
  DeadlineExceeded: 'DEADLINE_EXCEEDED',
  InvalidMessage: 'INVALID_ARGUMENT',
  InvalidRequest: 'INVALID_ARGUMENT',
  MessageTooLong: 'RESOURCE_EXHAUSTED',
  NotReady: 'UNAVAILABLE',
  OverCapacity: 'RESOURCE_EXHAUSTED',
  PermissionDenied: 'PERMISSION_DENIED',
  Stopped: 'UNAVAILABLE',
  Unauthenticated: 'UNAUTHENTICATED',
  Unimplemented: 'UNIMPLEMENTED',
  UnknownMesh: 'PERMISSION_DENIED',
};

const httpStatusByName: Partial<Record<StatusName, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
};

/** What a client is told of anything that was thrown. Of our own mistakes it learns only that there was one. */
export function callStatusOf(thrown: unknown): CallStatus {
  const { code, message, hint } = toError(thrown);
  const name = statusByErrorCode[code];
  if (!name) return { code: 'INTERNAL', details: 'something went wrong here; the log of the control plane says what' };
  return { code: name, details: hint ? `${message}. ${hint}` : message };
}

/** The same for a client that speaks HTTP. */
export const httpStatusOf = ({ code }: CallStatus): number => httpStatusByName[code] ?? 500;
