import { ChandleryError, type ChandleryErrorOptions } from '@chandlery/api';

/** All errors of the REST API by their code, which is what clients go by. */
export const ordersErrorCodes = {
  'bad-request': 400,
  'invalid-filter': 400,
  'invalid-page': 400,
  'at-time-too-old': 400,
  'namespace-required': 400,
  unauthenticated: 401,
  forbidden: 403,
  'limit-exceeded': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'already-exists': 409,
  conflict: 409,
  'artifact-complete': 409,
  'artifact-not-ready': 409,
  'offset-mismatch': 409,
  'unsupported-tus-version': 412,
  'too-large': 413,
  'unsupported-content': 415,
  'range-not-satisfiable': 416,
  invalid: 422,
  'controller-not-orderable': 422,
  'upload-busy': 423,
  ambiguous: 424,
  'too-many-requests': 429,
  internal: 500,
  'controller-unknown': 501,
  'bad-gateway': 502,
  unavailable: 503,
  'process-not-ready': 503,
  'no-events': 504,
  'gateway-timeout': 504,
} as const satisfies Readonly<Record<string, number>>;

/** The code of an error. */
export type OrdersErrorCode = keyof typeof ordersErrorCodes;

/** What an error may say besides its code and its sentence. */
export interface OrdersErrorFacts extends Pick<ChandleryErrorOptions, 'cause'> {
  /** The URN of the record that it is about. */
  readonly id?: string;
  /** The field or parameter that is wrong, and its value. */
  readonly name?: string;
  readonly value?: unknown;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that is returned to a client of the REST API. */
export class OrdersError extends ChandleryError {
  readonly restCode: OrdersErrorCode;
  readonly facts: OrdersErrorFacts;

  constructor(code: OrdersErrorCode, message: string, facts: OrdersErrorFacts = {}) {
    super(`Orders:${code}`, message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.restCode = code;
    this.facts = facts;
  }

  /** The HTTP status. */
  get status(): number {
    return ordersErrorCodes[this.restCode];
  }
}

/** Returns the error of a record that does not exist, or is another tenant's. */
export const recordNotFound = (id: string): OrdersError => new OrdersError('not-found', `There is no ${id}`, { id });

/** Returns the error of a field of a request. */
export const invalidField = (name: string, message: string, value?: unknown): OrdersError =>
  new OrdersError('invalid', message, { name, ...(value === undefined ? {} : { value }) });

/** Returns the error of a request that cannot be understood. */
export const badRequest = (message: string): OrdersError => new OrdersError('bad-request', message);
