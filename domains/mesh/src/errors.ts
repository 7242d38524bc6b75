import { ChandleryError } from '@chandlery/api';
import type { grpcCodes } from './server/grpc/grpc-status.ts';

/** The gRPC status of an error. */
export type StatusName = Exclude<keyof typeof grpcCodes, 'OK'>;

/** The errors that the discovery server reports to its clients, by code; all others are internal errors. */
export const discoveryErrorStatus: Readonly<Record<string, StatusName>> = {
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

/** The client closed the connection or cancelled the call before the response. */
export const clientDisconnected = (): ChandleryError =>
  new ChandleryError('Aborted', 'the client did not wait for the response', { hint: 'Try again' });

/** The mesh was closed because its declaration changed; the next connection opens it again. */
export const meshReloaded = (): ChandleryError =>
  new ChandleryError('Stopped', 'the mesh has changed', { hint: 'Connect again' });
