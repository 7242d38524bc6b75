import { type FleetError, fleetError } from '../../errors.ts';

/** What is known of a bearer token. */
export type VerifiedBearer =
  /** The landscape's administrator. */
  | { readonly type: 'operator'; readonly username: string }
  /** A user whom the landscape knows: has the rights of its roles in the tenants' namespaces. */
  | LandscapeMember
  /** Signature, issuer, audience and end were checked. */
  | { readonly type: 'verified'; readonly issuer: string; readonly claims: Readonly<Record<string, unknown>> }
  /** The reason is shown to the bearer. */
  | { readonly type: 'rejected'; readonly reason: string }
  /** The issuer cannot be asked for its keys. */
  | { readonly type: 'unavailable'; readonly reason: string };

/** A user of the landscape. */
export interface LandscapeMember {
  readonly type: 'member';
  readonly username: string;
  /** The namespaces of tenants whose service instances the user may get, create, update or delete. */
  readonly tenants: (verb: MemberVerb) => readonly string[];
}

export type MemberVerb = 'get' | 'create' | 'update' | 'delete';

/** Verifies a token of any issuer that the landscape knows. */
export type VerifyBearer = (token: string) => Promise<VerifiedBearer>;

/** Who sends a request. */
export type Identity = Extract<VerifiedBearer, { readonly type: 'operator' | 'member' | 'verified' }>;

/** Another machine's clock may be ahead. */
const clockSkewSeconds = 10;
const retryAfterSeconds = 5;

/** Returns who sends a request. Throws error 15 with a reason of its own for each failure, or 503. */
export async function authenticate(
  authorization: string | undefined,
  { verifyBearer, now }: { readonly verifyBearer: VerifyBearer; readonly now: Date },
): Promise<Identity> {
  const bearer = await verifyBearer(tokenOf(authorization));
  switch (bearer.type) {
    case 'operator':
    case 'member':
      return bearer;
    case 'verified':
      checkType(bearer.claims['typ']);
      checkIssuedAt(bearer.claims['iat'], now);
      return bearer;
    case 'rejected':
      throw unauthenticated(bearer.reason);
    case 'unavailable':
      throw fleetError(503, bearer.reason, { retryAfterSeconds });
  }
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '')
    throw unauthenticated("Request doesn't contain the 'Authorization' header");
  const [scheme = '', token = '', ...rest] = authorization.trim().split(/\s+/);
  if (token === '' || rest.length > 0) throw unauthenticated('Authorization header is malformed');
  if (scheme.toLowerCase() !== 'bearer') throw unauthenticated(`Authentication type '${scheme}' isn't supported`);
  return token;
}

function checkType(type: unknown): void {
  if (type === undefined) throw unauthenticated("Bearer token doesn't contain required claim 'typ'");
  if (typeof type !== 'string') throw unauthenticated("Bearer token contains incorrect value of claim 'typ'");
  if (type.toLowerCase() !== 'bearer') throw unauthenticated(`Bearer token type '${type}' isn't allowed`);
}

function checkIssuedAt(issuedAt: unknown, now: Date): void {
  if (issuedAt === undefined) throw unauthenticated("Bearer token doesn't contain required claim 'iat'");
  if (typeof issuedAt !== 'number') throw unauthenticated("Bearer token contains incorrect value of claim 'iat'");
  if (issuedAt > now.getTime() / 1000 + clockSkewSeconds)
    throw unauthenticated('Bearer token was issued in the future');
}

/** Returns error 15. */
export const unauthenticated = (reason: string): FleetError =>
  fleetError(15, `Account authentication could not be verified: ${reason}`);
