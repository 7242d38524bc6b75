import type { FleetCaller } from '../../actions/fleet-actions.ts';
import { type Identity, unauthenticated } from './bearer.ts';

/** The claims of a verified token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The user of an organisation that claims describe. Throws error 15. */
export function callerOf(claims: TokenClaims): FleetCaller {
  const organisation = textOf(claims, 'org_id', 'rh-org-id');
  if (organisation === undefined) throw unauthenticated('Bearer token names no organisation (claim org_id)');
  const username = usernameOf(claims);
  if (username === undefined) throw unauthenticated('Bearer token names no user (claim username)');
  const isOrganisationAdmin = claims['is_org_admin'] ?? false;
  if (typeof isOrganisationAdmin !== 'boolean')
    throw unauthenticated("Bearer token contains incorrect value of claim 'is_org_admin'");
  return { username, organisation, accountId: textOf(claims, 'account_id'), isOrganisationAdmin };
}

/** The user name that claims have, if any. */
export const usernameOf = (claims: TokenClaims): string | undefined => textOf(claims, 'username', 'preferred_username');

/** The name of the user who sends a request. */
export const senderName = (identity: Identity): string | undefined =>
  identity.type === 'verified' ? usernameOf(identity.claims) : identity.username;

/** The roles that claims have, in lower case. */
export function rolesOf(claims: TokenClaims): ReadonlySet<string> {
  const { roles } = (claims['realm_access'] ?? {}) as { readonly roles?: unknown };
  const names = Array.isArray(roles) ? roles.filter(role => typeof role === 'string') : [];
  return new Set(names.map(role => role.toLowerCase()));
}

/** The cluster whose agent bears the token. */
export const agentClusterOf = (claims: TokenClaims): string | undefined =>
  textOf(claims, 'fleetshard-operator-cluster-id');

/** The first of the claims that is a text and not empty. */
function textOf(claims: TokenClaims, ...names: readonly string[]): string | undefined {
  const values = names.map(name => claims[name]);
  return values.find(value => typeof value === 'string' && value !== '') as string | undefined;
}
