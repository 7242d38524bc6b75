import { readFileSync } from 'node:fs';
import { ChandleryError } from '@chandlery/api';
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Clock, systemClock } from '../time/clock.ts';
import { type JsonClaims, parseJwt } from './jwt.ts';
import { checkRequiredClaims, type OidcClaimRules, type OidcIdentity, oidcIdentity } from './oidc-claims.ts';
import { isSafeAddress, OidcKeys, type OidcKeysOptions } from './oidc-keys.ts';
import { tokenError } from './token-errors.ts';

/** A provider, whom its tokens must be meant for, and how they become users. */
export interface OidcOptions
  extends OidcClaimRules,
    Partial<Pick<OidcKeysOptions, 'timeoutMs' | 'maxAgeMs' | 'cooldownMs'>> {
  /** A token must be meant for one of them. */
  readonly audiences: readonly string[];
  /** PEM file with the authorities that the provider's certificate is checked against. Default: those of Node. */
  readonly caFile?: string;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/** Verifies the tokens of one OpenID provider. */
export interface OidcVerifier {
  readonly issuer: string;
  /** Rejects with one of {@link tokenErrorCodes}. */
  verify(token: string): Promise<OidcIdentity>;
  /** Rejects with `OidcUnavailable` when the provider cannot be asked now. */
  check(): Promise<void>;
}

/** Verifies the tokens of one OpenID provider and returns their claims. */
export interface ClaimsVerifier {
  readonly issuer: string;
  /** Rejects with one of {@link tokenErrorCodes}. */
  verify(token: string): Promise<JsonClaims>;
  /** Rejects with `OidcUnavailable` when the provider cannot be asked now. */
  check(): Promise<void>;
}

/** How tokens are verified whose claims alone matter. */
export interface ClaimsVerifierOptions extends Omit<OidcOptions, keyof OidcClaimRules> {
  readonly issuer: string;
  /** Default: all asymmetric ones. */
  readonly algorithms?: readonly string[];
  /** As in {@link OidcClaimRules}. */
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

/** Asymmetric ones only: with a symmetric one, or `none`, the public key would be enough to forge tokens. */
const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** For `nbf`; the end of a token is exact. */
const clockSkewSeconds = 10;

/** Rejects with `OidcConfigInvalid`. Asks nothing of the provider yet: it may start later than we do. */
export function createOidcVerifier(options: OidcOptions): OidcVerifier {
  const { issuer } = options;
  const verifier = createClaimsVerifier(options);
  return {
    issuer,
    verify: async token => oidcIdentity(await verifier.verify(token), options),
    check: () => verifier.check(),
  };
}

/** Rejects with `OidcConfigInvalid`. Asks nothing of the provider yet. */
export function createClaimsVerifier(options: ClaimsVerifierOptions): ClaimsVerifier {
  const { issuer, audiences, clock = systemClock, timeoutMs = 5000, algorithms = asymmetricAlgorithms } = options;
  if (!isSafeAddress(issuer)) throw invalidConfig(issuer, 'the issuer is not an https address');
  if (audiences.length === 0)
    throw invalidConfig(issuer, 'no audience is named, so tokens for any audience would be accepted');
  const ca = readCa(options);
  const keyOptions = { ...options, clock, timeoutMs, ...(ca === undefined ? {} : { ca }) };
  const keys = new OidcKeys(keyOptions);
  return {
    issuer,
    // With keys of its own: a failure would keep tokens waiting that come soon after it.
    check: async () => void (await new OidcKeys(keyOptions).current()),
    async verify(token) {
      const now = clock.now();
      // A token of another issuer is no reason to fetch this provider's keys.
      if (parseJwt(token).claims.iss !== issuer)
        throw tokenError('TokenWrongIssuer', `the token was not issued by ${issuer}`);
      const rules = {
        issuer,
        audience: [...audiences],
        algorithms: [...algorithms],
        requiredClaims: ['exp'],
        currentDate: now,
        clockTolerance: clockSkewSeconds,
      };
      const claims = await verifyWithKeys(token, keys, rules);
      if (Number(claims.exp) * 1000 <= now.getTime()) throw expired();
      checkRequiredClaims(claims, options.requiredClaims ?? {});
      return claims;
    },
  };
}

async function verifyWithKeys(token: string, keys: OidcKeys, rules: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return await verifyOnce(token, await keys.current(), rules);
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw asTokenError(error);
  }
  // The provider may have changed its keys since we asked.
  const newer = await keys.newer();
  if (newer === undefined) throw unknownKey();
  return verifyOnce(token, newer, rules).catch((error: unknown) => {
    throw asTokenError(error);
  });
}

async function verifyOnce(token: string, keys: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, rules)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return verifyWithAnyOf(error, token, rules);
  }
}

/** A token without a key id may be signed with any of the keys that fit. */
async function verifyWithAnyOf(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  rules: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, rules)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function asTokenError(error: unknown): ChandleryError {
  if (error instanceof ChandleryError) return error;
  if (error instanceof errors.JWTExpired) return expired();
  if (error instanceof errors.JWKSNoMatchingKey) return unknownKey();
  if (error instanceof errors.JWTClaimValidationFailed) return claimError(error);
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return tokenError('TokenAlgorithmNotAllowed', "the token's signature algorithm is not allowed", { cause: error });
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return tokenError('TokenMalformed', 'the token is not a signed JWT', { cause: error });
  }
  return tokenError('TokenSignatureInvalid', "the token's signature is wrong", { cause: error });
}

function claimError(error: errors.JWTClaimValidationFailed): ChandleryError {
  if (error.claim === 'aud')
    return tokenError('TokenWrongAudience', 'the token is meant for another audience', { cause: error });
  if (error.reason === 'missing')
    return tokenError('TokenClaimMissing', `the token has no claim ${error.claim}`, { cause: error });
  if (error.claim === 'iss')
    return tokenError('TokenWrongIssuer', 'the token was issued by another issuer', { cause: error });
  if (error.claim === 'nbf') return tokenError('TokenNotYetValid', 'the token is not valid yet', { cause: error });
  return tokenError('TokenClaimRefused', `the token's claim ${error.claim} is not acceptable`, { cause: error });
}

function readCa({ issuer, caFile }: ClaimsVerifierOptions): string | undefined {
  if (caFile === undefined) return undefined;
  try {
    return readFileSync(caFile, 'utf8');
  } catch (cause) {
    throw invalidConfig(issuer, `caFile ${caFile} cannot be read`, cause);
  }
}

const expired = () => tokenError('TokenExpired', 'the token has expired', { hint: 'Log in again.' });
const unknownKey = () =>
  tokenError('TokenUnknownKey', 'the token is signed with a key that its issuer does not publish');
const invalidConfig = (issuer: string, why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('OidcConfigInvalid', `cannot use OpenID provider ${JSON.stringify(issuer)}: ${why}`, { cause });
