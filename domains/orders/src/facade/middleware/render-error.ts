import { toError } from '@chandlery/api';
import { OrdersError, type OrdersErrorCode, ordersErrorCodes } from '../../errors.ts';

/** An error as it is sent. */
export interface RenderedOrdersError {
  readonly status: number;
  /** Undefined: without a body. */
  readonly body: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors of other parts, as errors of the REST API. Every other one is `internal` and says nothing of itself. */
const codes: Readonly<Record<string, OrdersErrorCode>> = {
  BadRequest: 'bad-request',
  Unauthorized: 'unauthenticated',
  Forbidden: 'forbidden',
  NotFound: 'not-found',
  MethodNotAllowed: 'method-not-allowed',
  Conflict: 'conflict',
  AlreadyExists: 'already-exists',
  UniqueViolation: 'already-exists',
  Invalid: 'invalid',
  RequestEntityTooLarge: 'too-large',
  TooManyRequests: 'too-many-requests',
  ServiceUnavailable: 'unavailable',
  Unavailable: 'unavailable',
  Timeout: 'unavailable',
};

/** Errors of the listener have statuses of their own. */
const listenerStatuses: Readonly<Record<string, number>> = {
  UriTooLong: 414,
  RequestHeaderFieldsTooLarge: 431,
  RequestTimeout: 408,
};

const retryAfterSeconds = 5;

/** Renders anything thrown. Every error but 401 is JSON with a `message`. */
export function renderOrdersError(thrown: unknown): RenderedOrdersError {
  const error = toError(thrown);
  const code = codeOf(thrown);
  const status = listenerStatuses[error.code] ?? ordersErrorCodes[code];
  const { id, name, value, headers = {} } = thrown instanceof OrdersError ? thrown.facts : {};
  const retry = retryHeaders(status, error.details.retryAfterSeconds);
  if (status === 401) return { status, body: undefined, headers: { 'www-authenticate': 'Bearer' } };
  return {
    status,
    body: {
      message: code === 'internal' ? 'Something went wrong; the log of the server has more' : error.message,
      code,
      ...(id === undefined ? {} : { id }),
      ...(name === undefined ? {} : { name }),
      ...(value === undefined ? {} : { value }),
    },
    headers: { ...retry, ...headers },
  };
}

const retryHeaders = (status: number, seconds = retryAfterSeconds): Readonly<Record<string, string>> =>
  status === 503 || status === 429 ? { 'retry-after': String(seconds) } : {};

/** Whether the error is unexpected, and should be logged. */
export const isUnexpected = (thrown: unknown): boolean => codeOf(thrown) === 'internal';

function codeOf(thrown: unknown): OrdersErrorCode {
  if (thrown instanceof OrdersError) return thrown.restCode;
  const { code } = toError(thrown);
  return code in listenerStatuses ? 'bad-request' : (codes[code] ?? 'internal');
}
