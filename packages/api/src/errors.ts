/** A cause inside an error: which field, why. Mirrors Kubernetes' StatusCause. */
export interface ErrorCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What an error is about. All of it may be shown to the caller. */
export interface ErrorDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural resource for NotFound, AlreadyExists and Conflict; the Kind for Invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly ErrorCause[];
  readonly retryAfterSeconds?: number;
  /** The token with which an expired list may continue, inconsistently. */
  readonly continueToken?: string;
}

export interface ChandleryErrorOptions {
  /** One sentence: what to do next. */
  readonly hint?: string;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/**
 * The one error class of the code base.
 *
 * `code` is stable and part of the contract; `message` is a sentence for people. Each edge (HTTP, Kubernetes Status,
 * OSB, gRPC, command line) maps `code` once.
 */
export class ChandleryError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: ErrorDetails;

  constructor(code: string, message: string, options: ChandleryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ChandleryError';
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** True when `thrown` is our error and, if codes are given, carries one of them. */
export function isError(thrown: unknown, ...codes: readonly string[]): thrown is ChandleryError {
  return thrown instanceof ChandleryError && (codes.length === 0 || codes.includes(thrown.code));
}

/** Converts anything thrown into our error class; unknown things become `InternalError` and keep their cause. */
export function toError(thrown: unknown): ChandleryError {
  if (thrown instanceof ChandleryError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ChandleryError('InternalError', message, { cause: thrown });
}
