import { isError, toError } from '@chandlery/api';
import type { VerifiedBearer, VerifyBearer } from '@chandlery/fleet';
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
  readonly clock: Clock;
}

const administrator = 'admin';

/** Verifies the administrator's token, tokens of the landscape's own issuer (ES256), and those of OpenID providers (RS256). */
export function createVerifyBearer({ adminToken, landscapeTokens, oidc, clock }: FleetTokenDeps): VerifyBearer {
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
      if (verifier === undefined) return rejected('Bearer token was issued by an unknown issuer');
      return { type: 'verified', issuer, claims: await verifier.verify(token) };
    } catch (thrown) {
      return failureOf(thrown);
    }
  };
}

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
  const { code, message } = toError(thrown);
  if (isError(thrown, 'OidcUnavailable')) return { type: 'unavailable', reason: message };
  if (!code.startsWith('Token')) throw thrown;
  return rejected(reasons[code as TokenErrorCode] ?? `Bearer token isn't valid: ${message}`);
}
