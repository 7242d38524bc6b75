import { isError, toError } from '@chandlery/api';
import type { LandscapeMember, VerifiedBearer, VerifyBearer } from '@chandlery/fleet';
import {
  type AdminToken,
  type ClaimsVerifier,
  type Clock,
  createClaimsVerifier,
  type FleetTokens,
  type OidcProviderConfig,
  type TokenErrorCode,
  unverifiedClaims,
} from '@chandlery/platform';

/** Whose tokens the fleet manager accepts. */
export interface FleetTokenDeps {
  readonly adminToken: Pick<AdminToken, 'matches'>;
  readonly landscapeTokens: Pick<FleetTokens, 'issuer' | 'verify'>;
  readonly oidc: readonly OidcProviderConfig[];
  /** Authenticates a token as all APIs of the landscape do: of sessions, service accounts and OpenID users. */
  readonly findUser: (token: string) => Promise<FleetUser>;
  readonly clock: Clock;
}

/** A user of the landscape as the fleet manager sees it. */
export type FleetUser = Extract<VerifiedBearer, { readonly type: 'operator' }> | LandscapeMember;

const administrator = 'admin';

/**
 * Verifies the administrator's token, tokens of the fleet's own issuer (ES256), and those of OpenID providers (RS256) that
 * name an organisation. All others are those of users of the landscape.
 */
export function createVerifyBearer({
  adminToken,
  landscapeTokens,
  oidc,
  findUser,
  clock,
}: FleetTokenDeps): VerifyBearer {
  const verifiers = new Map<string, ClaimsVerifier>(
    oidc.map(provider => [provider.issuer, createClaimsVerifier({ ...provider, algorithms: ['RS256'], clock })]),
  );
  return async token => {
    if (adminToken.matches(token)) return { type: 'operator', username: administrator };
    const issuer = unverifiedClaims(token)?.issuer;
    if (issuer === undefined) return rejected('Bearer token is malformed');
    try {
      if (issuer === landscapeTokens.issuer)
        return { type: 'verified', issuer, claims: landscapeTokens.verify(token, clock.now()) };
      const verifier = verifiers.get(issuer);
      if (verifier === undefined) return await findUser(token);
      const verified = { type: 'verified', issuer, claims: await verifier.verify(token) } as const;
      return isOfOrganisation(verified.claims) ? verified : await findUser(token).catch(orIfUnknown(verified));
    } catch (thrown) {
      return failureOf(thrown);
    }
  };
}

/** Access tokens of users of an organisation, of operators and of agents say what they are; others are the landscape's. */
const isOfOrganisation = (claims: Readonly<Record<string, unknown>>): boolean =>
  ['org_id', 'rh-org-id', 'realm_access', 'fleetshard-operator-cluster-id'].some(name => claims[name] !== undefined);

/** A valid token whose claims name no user of the landscape: which claim is missing depends on the route. */
const orIfUnknown =
  (verified: VerifiedBearer) =>
  (thrown: unknown): VerifiedBearer => {
    if (isError(thrown, 'Unauthorized')) return verified;
    throw thrown;
  };

const rejected = (reason: string): VerifiedBearer => ({ type: 'rejected', reason });

const reasons: Partial<Readonly<Record<TokenErrorCode, string>>> = {
  TokenMalformed: 'Bearer token is malformed',
  TokenAlgorithmNotAllowed: "Bearer token is signed with an algorithm that isn't allowed",
  TokenUnknownKey: "Bearer token can't be verified: its key is unknown",
  TokenSignatureInvalid: "Signature of bearer token isn't valid",
  TokenExpired: 'Bearer token is expired',
  TokenNotYetValid: "Bearer token isn't valid yet",
  TokenWrongAudience: 'Bearer token is meant for another audience',
};

function failureOf(thrown: unknown): VerifiedBearer {
  if (isError(thrown, 'Unauthorized')) return unauthorized(thrown.cause);
  const { code, message } = toError(thrown);
  if (isError(thrown, 'OidcUnavailable', 'ServiceUnavailable')) return { type: 'unavailable', reason: message };
  if (!code.startsWith('Token')) throw thrown;
  return rejected(reasons[code as TokenErrorCode] ?? `Bearer token isn't valid: ${message}`);
}

/** The authenticator says no more than that; what it found is the cause. */
const unauthorized = (cause: unknown): VerifiedBearer =>
  cause === undefined ? rejected('Bearer token was issued by an unknown issuer') : failureOf(cause);
