import { type KeyObject, randomUUID } from 'node:crypto';
import type { JsonClaims } from './jwt.ts';
import { LandscapeSignature } from './landscape-signature.ts';
import { defaultIssuer, type IssuedToken } from './service-account-tokens.ts';
import { tokenError } from './token-errors.ts';

/** For whom a token of the fleet manager is, and how long. */
export interface FleetTokenRequest {
  readonly username: string;
  /** Default: of no organisation. */
  readonly organisation?: string;
  /** Default none. */
  readonly accountId?: string;
  /** Default false. */
  readonly isOrganisationAdmin?: boolean;
  /** Default none. */
  readonly roles?: readonly string[];
  /** The data-plane cluster that the bearer is the agent of. Default: no agent. */
  readonly clusterId?: string;
  /** Default 12 hours. */
  readonly expirationSeconds?: number;
  readonly now: Date;
}

const defaultSeconds = 12 * 3600;
const cacheSize = 4096;

/** Whom the landscape's own tokens for the fleet manager are meant for. */
export const fleetAudience = 'chandlery-fleet';

/** Issues and verifies the landscape's own tokens for the fleet manager, with the claims that outside issuers use. */
export class FleetTokens {
  /** The `iss` of all of them. */
  readonly issuer: string;
  readonly #signature: LandscapeSignature;

  /** `issuer`: its beginning; default as for service accounts. */
  constructor({ signingKey, issuer = defaultIssuer }: { readonly signingKey: KeyObject; readonly issuer?: string }) {
    this.issuer = `${issuer.replace(/\/$/, '')}/fleet`;
    this.#signature = new LandscapeSignature(signingKey, cacheSize);
  }

  issue(request: FleetTokenRequest): IssuedToken {
    const { username, organisation, accountId, isOrganisationAdmin = false, roles = [], clusterId } = request;
    const issuedAt = Math.floor(request.now.getTime() / 1000);
    const expiresAt = issuedAt + (request.expirationSeconds ?? defaultSeconds);
    const token = this.#signature.sign({
      iss: this.issuer,
      aud: [fleetAudience],
      typ: 'Bearer',
      iat: issuedAt,
      exp: expiresAt,
      jti: randomUUID(),
      sub: username,
      username,
      is_org_admin: isOrganisationAdmin,
      realm_access: { roles },
      ...(organisation === undefined ? {} : { org_id: organisation }),
      ...(accountId === undefined ? {} : { account_id: accountId }),
      ...(clusterId === undefined ? {} : { 'fleetshard-operator-cluster-id': clusterId }),
    });
    return { token, expirationTimestamp: new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z') };
  }

  /** The claims of a token that is in force. Rejects with one of {@link tokenErrorCodes}. */
  verify(token: string, now: Date): JsonClaims {
    const claims = this.#signature.claimsOf(token);
    if (claims.iss !== this.issuer) throw tokenError('TokenWrongIssuer', 'the token was issued for something else');
    if (![claims.aud].flat().includes(fleetAudience))
      throw tokenError('TokenWrongAudience', 'the token is meant for another audience');
    if (!(Number(claims.exp) * 1000 > now.getTime()))
      throw tokenError('TokenExpired', 'the token has expired', { hint: 'Request a new one.' });
    return claims;
  }
}
