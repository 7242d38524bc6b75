import type { JsonClaims } from './jwt.ts';
import { tokenError } from './token-errors.ts';

/** How claims become a user. */
export interface OidcClaimRules {
  readonly issuer: string;
  /** Default `sub`. With `email`, an address that the provider calls unverified is rejected. */
  readonly usernameClaim?: string;
  /** `-` for none. Default: `<issuer>#`, or none when the claim is `email`. */
  readonly usernamePrefix?: string;
  /** Default: the user has no groups. */
  readonly groupsClaim?: string;
  /** `-` for none. Default: none. */
  readonly groupsPrefix?: string;
  /** Claims that must be there with this value (or hold it, when the claim is a list). */
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

/** Whom a verified token speaks for. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly username: string;
  readonly groups: readonly string[];
  readonly claims: JsonClaims;
  readonly expiresAt: Date;
}

/** Names that only the landscape itself gives away. */
const isReserved = (name: string): boolean => name.startsWith('system:');

/** The user that verified claims describe. Required claims were checked before. Rejects with `TokenClaimMissing` or `TokenClaimRefused`. */
export function oidcIdentity(claims: JsonClaims, rules: OidcClaimRules): OidcIdentity {
  return {
    issuer: rules.issuer,
    username: usernameOf(claims, rules),
    groups: groupsOf(claims, rules),
    claims,
    expiresAt: new Date(Number(claims.exp) * 1000),
  };
}

function usernameOf(claims: JsonClaims, { issuer, usernameClaim = 'sub', usernamePrefix }: OidcClaimRules): string {
  const value = claims[usernameClaim];
  if (typeof value !== 'string' || value === '') throw missing(usernameClaim);
  if (usernameClaim === 'email' && claims.email_verified !== undefined && claims.email_verified !== true) {
    throw tokenError('TokenClaimRefused', "the token's e-mail address is not verified");
  }
  const username = prefixed(value, usernamePrefix ?? (usernameClaim === 'email' ? '-' : `${issuer}#`));
  if (isReserved(username))
    throw tokenError('TokenClaimRefused', 'the token claims a user name that starts with "system:"');
  return username;
}

/** Reserved groups are left out rather than rejected: the user's identity is still valid. */
function groupsOf(claims: JsonClaims, { groupsClaim, groupsPrefix = '-' }: OidcClaimRules): readonly string[] {
  const value = groupsClaim === undefined ? undefined : claims[groupsClaim];
  if (value === undefined || value === null) return [];
  const groups = Array.isArray(value) ? value : [value];
  if (!groups.every(group => typeof group === 'string')) {
    throw tokenError('TokenClaimRefused', `the token's claim ${groupsClaim} is not a list of names`);
  }
  return groups.map(group => prefixed(group, groupsPrefix)).filter(group => group !== '' && !isReserved(group));
}

/** Rejects with `TokenClaimMissing` or `TokenClaimRefused`. */
export function checkRequiredClaims(claims: JsonClaims, required: Readonly<Record<string, string>>): void {
  for (const [name, expected] of Object.entries(required)) {
    if (claims[name] === undefined) throw missing(name);
    if (![claims[name]].flat().includes(expected)) {
      throw tokenError('TokenClaimRefused', `the token's claim ${name} does not have the required value`);
    }
  }
}

const prefixed = (value: string, prefix: string): string => (prefix === '-' ? value : prefix + value);
const missing = (claim: string) => tokenError('TokenClaimMissing', `the token has no claim ${claim}`);
