import { type ChandleryError, toError } from '@chandlery/api';
import { FleetError, type FleetErrorCode, type FleetErrorFacts, fleetError } from '../../errors.ts';
import type { ProductNames } from '../../model/product-names.ts';
import { presentError } from '../handlers/document-handlers.ts';

/** An error as it is sent. */
export interface RenderedFleetError {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Renders anything thrown. */
export function renderFleetError(thrown: unknown, names: ProductNames, operationId: string): RenderedFleetError {
  const error = toFleetError(thrown);
  const { detail, hint, problems } = error.facts;
  return {
    status: statusOf(thrown) ?? error.status,
    body: {
      ...presentError(error.number, names),
      reason: error.message,
      operation_id: operationId,
      ...(detail === undefined ? {} : { detail }),
      ...(hint === undefined ? {} : { hint }),
      ...(problems === undefined ? {} : { problems }),
    },
    headers: headersOf(error.facts),
  };
}

const headersOf = ({ retryAfterSeconds, allow }: FleetErrorFacts): RenderedFleetError['headers'] => ({
  ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  ...(allow === undefined ? {} : { allow: allow.join(', ') }),
});

/** Whether the error is unexpected. */
export const isUnexpected = (thrown: unknown): boolean =>
  !(thrown instanceof FleetError) && toFleetError(thrown).number === 9;

/** Errors of other parts, as errors of the fleet manager. Every other one is error 9 and says nothing of itself. */
const numbers: Readonly<Record<string, FleetErrorCode>> = {
  BadRequest: 21,
  Unauthorized: 15,
  Forbidden: 11,
  MethodNotAllowed: 10,
  Invalid: 8,
  NotFound: 7,
  Conflict: 6,
  AlreadyExists: 6,
  UniqueViolation: 6,
  RequestEntityTooLarge: 17,
  UriTooLong: 21,
  RequestHeaderFieldsTooLarge: 21,
  RequestTimeout: 21,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
  Unavailable: 503,
  Timeout: 503,
  PeerUnavailable: 503,
};

const defaultRetryAfterSeconds = 5;

function toFleetError(thrown: unknown): FleetError {
  if (thrown instanceof FleetError) return thrown;
  const error = toError(thrown);
  const number = numbers[error.code];
  if (number === undefined) return fleetError(9, undefined, { cause: thrown });
  return fleetError(number, error.message, { cause: thrown, ...retryFacts(number, error) });
}

function retryFacts(number: FleetErrorCode, { details }: ChandleryError): FleetErrorFacts {
  const isForLater = number === 503 || number === 429;
  return isForLater ? { retryAfterSeconds: details.retryAfterSeconds ?? defaultRetryAfterSeconds } : {};
}

/** Errors of the listener have statuses that the catalogue does not have. */
const listenerStatuses: Readonly<Record<string, number>> = {
  RequestEntityTooLarge: 413,
  UriTooLong: 414,
  RequestHeaderFieldsTooLarge: 431,
  RequestTimeout: 408,
};

const statusOf = (thrown: unknown): number | undefined =>
  thrown instanceof FleetError ? undefined : listenerStatuses[toError(thrown).code];
