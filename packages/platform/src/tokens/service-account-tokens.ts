import { type KeyObject, randomUUID } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import type { JsonClaims } from './jwt.ts';
import { LandscapeSignature } from './landscape-signature.ts';
import { type BoundObject, claimsOf, identityOf, type ServiceAccountIdentity } from './service-account-claims.ts';
import { tokenError } from './token-errors.ts';

/** How tokens are signed and remembered. */
export interface ServiceAccountTokensOptions {
  /** P-256 private key. */
  readonly signingKey: KeyObject;
  /**
   * Start of the `iss` claim; `/clusters/<name>` is appended. Default `https://chandlery.local`: independent of host
   * and port, so that tokens outlive a move.
   */
  readonly issuer?: string;
  /** How many verified tokens are remembered. Default 4096. */
  readonly cacheSize?: number;
}

/** Whom a token is for, what for, how long. */
export interface TokenRequest {
  /** Logical cluster. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** The service account's uid. */
  readonly uid: string;
  /** Default: the cluster's issuer, which is what the API server itself accepts. */
  readonly audiences?: readonly string[];
  /** At least 600; more than a year is cut to that. Default 3600. */
  readonly expirationSeconds?: number;
  /** The token is valid only as long as this object exists, which its verifier checks. */
  readonly boundObject?: BoundObject;
  readonly now: Date;
}

/** As in the status of Kubernetes' TokenRequest. */
export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** What a token must be good for. */
export interface VerifyOptions {
  /** Default: any logical cluster of this landscape; the identity says which. */
  readonly cluster?: string;
  /** One of them must be in the token. Default: the issuer of the token's cluster. */
  readonly audiences?: readonly string[];
  readonly now: Date;
}

/** Independent of host and port, so that tokens outlive a move. */
export const defaultIssuer = 'https://chandlery.local';
const defaultSeconds = 3600;
const minimumSeconds = 600;
/** The longest life that `--ttl` of the command line may ask for. */
const maximumSeconds = 8760 * 3600;
/** Another replica's clock may be ahead; a token must not be "from the future" because of that. */
const clockSkewSeconds = 10;

/** Issues and verifies the tokens of service accounts: JWTs with Kubernetes' claims, signed with ES256. */
export class ServiceAccountTokens {
  readonly #issuer: string;
  /** Remembers tokens whose signature is right. Times, audiences and cluster are checked on every call. */
  readonly #signature: LandscapeSignature;

  constructor({ signingKey, issuer = defaultIssuer, cacheSize = 4096 }: ServiceAccountTokensOptions) {
    this.#issuer = issuer.replace(/\/$/, '');
    this.#signature = new LandscapeSignature(signingKey, cacheSize);
  }

  /** The issuer, and default audience, of a logical cluster's tokens. */
  issuerOf(cluster: string): string {
    return `${this.#issuer}/clusters/${cluster}`;
  }

  /** True when the token claims to be from here; nothing is verified. */
  isFromHere(issuer: string): boolean {
    return issuer.startsWith(`${this.#issuer}/clusters/`);
  }

  /** Rejects with `Invalid` when the wanted life is too short. */
  issue(request: TokenRequest): IssuedToken {
    const issuer = this.issuerOf(request.cluster);
    const issuedAt = Math.floor(request.now.getTime() / 1000);
    const expiresAt = issuedAt + lifeSeconds(request.expirationSeconds);
    const audiences = request.audiences === undefined || request.audiences.length === 0 ? [issuer] : request.audiences;
    const claims = claimsOf({ ...request, issuer, audiences, issuedAt, expiresAt, tokenId: randomUUID() });
    return {
      token: this.#signature.sign(claims),
      expirationTimestamp: new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z'),
    };
  }

  /** Who bears this token. Rejects with one of {@link tokenErrorCodes}. */
  verify(token: string, { cluster, audiences, now }: VerifyOptions): ServiceAccountIdentity {
    const claims = this.#signature.claimsOf(token);
    const identity = identityOf(claims);
    const issuer = this.issuerOf(identity.cluster);
    if (claims.iss !== issuer) throw tokenError('TokenWrongIssuer', 'the token was issued by another issuer');
    if (cluster !== undefined && identity.cluster !== cluster) {
      throw tokenError('TokenWrongCluster', `the token is for logical cluster "${identity.cluster}", not "${cluster}"`);
    }
    checkPeriod(claims, now);
    checkAudiences(identity.audiences, audiences ?? [issuer]);
    return identity;
  }

  /** The public key as a JSON Web Key Set. */
  jwks(): { readonly keys: readonly Readonly<Record<string, unknown>>[] } {
    return this.#signature.jwks();
  }
}

function lifeSeconds(wanted = defaultSeconds): number {
  if (Number.isInteger(wanted) && wanted >= minimumSeconds) return Math.min(wanted, maximumSeconds);
  const message = `Invalid value: ${wanted}: may not specify a duration less than 10 minutes`;
  const field = 'spec.expirationSeconds';
  throw new ChandleryError('Invalid', `TokenRequest.authentication.k8s.io "" is invalid: ${field}: ${message}`, {
    details: {
      name: '',
      group: 'authentication.k8s.io',
      kind: 'TokenRequest',
      causes: [{ reason: 'FieldValueInvalid', message, field }],
    },
  });
}

function checkPeriod({ exp, nbf }: JsonClaims, now: Date): void {
  const seconds = now.getTime() / 1000;
  if (typeof exp !== 'number' || typeof nbf !== 'number')
    throw tokenError('TokenClaimMissing', 'the token says no period of validity');
  if (seconds >= exp) throw tokenError('TokenExpired', 'the token has expired', { hint: 'Request a new one.' });
  if (seconds < nbf - clockSkewSeconds) throw tokenError('TokenNotYetValid', 'the token is not valid yet');
}

function checkAudiences(ofToken: readonly string[], accepted: readonly string[]): void {
  if (ofToken.some(audience => accepted.includes(audience))) return;
  throw tokenError('TokenWrongAudience', 'the token is meant for another audience', {
    hint: `Request one for ${accepted.join(' or ')}.`,
  });
}
