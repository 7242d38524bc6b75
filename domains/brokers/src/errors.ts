import { ChandleryError, type ChandleryErrorOptions } from '@chandlery/api';

/**
 * The errors of the service manager: the word that clients read in `error`, and the HTTP status that goes with it.
 * Where a word stands for several statuses, this is the usual one; `status` of {@link smError} says another.
 */
export const smErrorCodes = {
  BadRequest: 400,
  InvalidRequest: 400,
  InvalidMaxItems: 400,
  TokenInvalid: 400,
  InvalidTransfer: 400,
  TransferDisabled: 400,
  UnsupportedPlatform: 400,
  UnsupportedContextUpdate: 400,
  WebsocketUpgradeError: 400,
  CredentialsError: 400,
  Unauthorized: 401,
  PlatformDeleted: 401,
  Forbidden: 403,
  UpdateOperationIsNotAllowed: 403,
  NotFound: 404,
  ServicePlanNotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  ExistingReferenceEntity: 409,
  Gone: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  ConcurrentOperationInProgress: 422,
  OperationInProgress: 422,
  ManualActionRequired: 422,
  UnprocessableEntity: 422,
  IdempotencyKeyReused: 422,
  AsyncRequired: 422,
  ConcurrencyError: 422,
  MaintenanceInfoConflict: 422,
  TooManyRequests: 429,
  InternalError: 500,
  NotImplemented: 501,
  BrokerAddressNotAllowed: 502,
  BrokerError: 502,
  ServiceBrokerErr: 502,
  ServiceUnavailable: 503,
  Timeout: 503,
} as const;

/** One of the words in `error`. */
export type SmErrorCode = keyof typeof smErrorCodes;

/** Further fields of an error besides code and message. All of them are shown to the caller. */
export interface SmErrorFacts {
  /** Default: that of the code. */
  readonly status?: number;
  /** The field of the request that is wrong. */
  readonly field?: string;
  /** The broker's name, where one failed. */
  readonly broker?: string;
  /** What the broker answered. */
  readonly brokerStatus?: number;
  /** The broker's own word. */
  readonly brokerError?: string;
  /** Whether the same request may succeed later. */
  readonly isRetryable?: boolean;
  readonly retryAfterSeconds?: number;
  /** Ids of what the sentence speaks of: candidates, references, the existing resource. */
  readonly ids?: readonly string[];
  /** From a broker's answer to an update or a deletion. */
  readonly instanceUsable?: boolean;
  readonly updateRepeatable?: boolean;
}

/** An error of the service manager. `code` is one of {@link smErrorCodes}. */
export class SmError extends ChandleryError {
  readonly facts: SmErrorFacts;

  constructor(code: SmErrorCode, message: string, facts: SmErrorFacts = {}, options: ChandleryErrorOptions = {}) {
    super(code, message, options);
    this.facts = facts;
  }

  get status(): number {
    return this.facts.status ?? smErrorCodes[this.code as SmErrorCode];
  }
}

/** Makes an {@link SmError}. */
export const smError = (
  code: SmErrorCode,
  message: string,
  facts: SmErrorFacts = {},
  options: ChandleryErrorOptions = {},
): SmError => new SmError(code, message, facts, options);

/** "could not find such service instance". */
export const notFound = (what: string, why?: string): SmError =>
  smError('NotFound', `could not find such ${what}${why === undefined ? '' : `: ${why}`}`);
