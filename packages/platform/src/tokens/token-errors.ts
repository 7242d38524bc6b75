import { ChandleryError } from '@chandlery/api';

/** Why a token is not accepted. All but the last are the bearer's problem (HTTP 401). */
export const tokenErrorCodes = [
  'TokenMalformed',
  'TokenAlgorithmNotAllowed',
  'TokenUnknownKey',
  'TokenSignatureInvalid',
  'TokenExpired',
  'TokenNotYetValid',
  'TokenWrongIssuer',
  'TokenWrongAudience',
  'TokenWrongCluster',
  'TokenClaimMissing',
  'TokenClaimRefused',
  'OidcUnavailable',
] as const;

/** One of {@link tokenErrorCodes}. */
export type TokenErrorCode = (typeof tokenErrorCodes)[number];

/** Makes an error about a token. The message never holds the token or its claims' values beyond names. */
export const tokenError = (
  code: TokenErrorCode,
  message: string,
  options: { hint?: string; cause?: unknown } = {},
): ChandleryError => new ChandleryError(code, message, options);
