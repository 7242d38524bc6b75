import { ChandleryError, type ChandleryErrorOptions } from '@chandlery/api';

/** One row of the catalogue of errors. */
interface ErrorEntry {
  readonly status: number;
  readonly reason: string;
}

/** All errors of the fleet's REST APIs by their number, which is what clients go by. */
export const fleetErrorCodes = {
  4: { status: 403, reason: 'Forbidden to perform this action' },
  5: { status: 403, reason: 'The maximum number of allowed instances has been reached' },
  6: { status: 409, reason: 'An entity with the specified unique values already exists' },
  7: { status: 404, reason: 'Resource not found' },
  8: { status: 400, reason: 'General validation failure' },
  9: { status: 500, reason: 'Unspecified error' },
  10: { status: 405, reason: 'HTTP method not implemented for this endpoint' },
  11: { status: 403, reason: 'Account is unauthorized to perform this action' },
  12: { status: 403, reason: 'Required terms have not been accepted' },
  15: { status: 401, reason: 'Account authentication could not be verified' },
  17: { status: 400, reason: 'Unable to read request body' },
  18: { status: 403, reason: 'Unable to reach the service: it is in maintenance' },
  21: { status: 400, reason: 'Bad request' },
  23: { status: 400, reason: 'Failed to parse search query' },
  24: { status: 403, reason: 'The maximum capacity has been reached' },
  25: { status: 410, reason: 'Resource gone' },
  30: { status: 400, reason: 'Provider not supported' },
  31: { status: 400, reason: 'Region not supported' },
  32: { status: 400, reason: 'Instance name is invalid' },
  33: { status: 400, reason: 'Minimum field length not reached' },
  34: { status: 400, reason: 'Maximum field length has been exceeded' },
  35: { status: 400, reason: 'Only multi AZ is supported' },
  36: { status: 409, reason: 'Instance name is already used' },
  37: { status: 400, reason: 'Field validation failed' },
  41: { status: 400, reason: 'Instance type not supported' },
  42: { status: 400, reason: 'Instance plan not supported' },
  103: { status: 400, reason: 'Synchronous action is not supported' },
  106: { status: 500, reason: 'Failed to create the client at the identity provider' },
  109: { status: 500, reason: 'Failed to delete the client at the identity provider' },
  120: { status: 403, reason: 'Insufficient quota' },
  121: { status: 500, reason: 'Failed to check quota' },
  429: { status: 429, reason: 'Too many requests' },
  503: { status: 503, reason: 'A service that is needed does not respond' },
} as const satisfies Readonly<Record<number, ErrorEntry>>;

/** A number that the catalogue lists. */
export type ListedErrorCode = keyof typeof fleetErrorCodes;

/**
 * Numbers that are listed for clients of upstream and that no request gets; the README of the domain says why. They are no
 * `FleetErrorCode`, so nothing can throw them; all others are reached in `test/conformance/fleet/errors.test.ts`.
 */
export const unusedErrorCodes = [25, 106, 109, 121] as const satisfies readonly ListedErrorCode[];

/** The number of an error that a request may get. */
export type FleetErrorCode = Exclude<ListedErrorCode, (typeof unusedErrorCodes)[number]>;

/** What an error may say besides its number and its sentence. */
export interface FleetErrorFacts extends Pick<ChandleryErrorOptions, 'cause' | 'hint'> {
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Methods for `Allow`. */
  readonly allow?: readonly string[];
  /** Machine-readable reason where one number stands for several, such as `RegionFull` and `TrialLimit` for 24. */
  readonly detail?: string;
  /** What is wrong with a document, in all its places. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** An error that is returned to a client of the REST APIs. */
export class FleetError extends ChandleryError {
  readonly number: FleetErrorCode;
  readonly facts: FleetErrorFacts;

  constructor(number: FleetErrorCode, reason: string, facts: FleetErrorFacts) {
    const { cause, hint } = facts;
    super(`Fleet${number}`, reason, {
      ...(cause === undefined ? {} : { cause }),
      ...(hint === undefined ? {} : { hint }),
    });
    this.number = number;
    this.facts = facts;
  }

  get status(): number {
    return fleetErrorCodes[this.number].status;
  }
}

/** Makes an error; without a reason it has the one of the catalogue. */
export const fleetError = (
  number: FleetErrorCode,
  reason: string = fleetErrorCodes[number].reason,
  facts: FleetErrorFacts = {},
): FleetError => new FleetError(number, reason, facts);
