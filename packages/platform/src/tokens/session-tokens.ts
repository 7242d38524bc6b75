import { type KeyObject, randomUUID } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import type { JsonClaims } from './jwt.ts';
import { LandscapeSignature } from './landscape-signature.ts';
import { defaultIssuer, type IssuedToken } from './service-account-tokens.ts';
import { tokenError } from './token-errors.ts';

/** The user of a session, as it was authenticated when the session began. */
export interface SessionUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** How long a session lasts: a working day. */
const sessionSeconds = 8 * 3600;
const cacheSize = 1024;

/** Issues and verifies the tokens of browser sessions. Every replica accepts them; nothing of them is stored. */
export class SessionTokens {
  /** The `iss` of all of them. */
  readonly issuer = `${defaultIssuer}/session`;
  readonly #signature: LandscapeSignature;
  readonly #clock: Clock;

  /** `signingKey`: P-256. */
  constructor({ signingKey, clock }: { readonly signingKey: KeyObject; readonly clock: Clock }) {
    this.#signature = new LandscapeSignature(signingKey, cacheSize);
    this.#clock = clock;
  }

  issue({ username, uid, groups }: SessionUser): IssuedToken {
    const issuedAt = Math.floor(this.#clock.now().getTime() / 1000);
    const expiresAt = issuedAt + sessionSeconds;
    const token = this.#signature.sign({
      iss: this.issuer,
      iat: issuedAt,
      exp: expiresAt,
      jti: randomUUID(),
      sub: username,
      groups,
      ...(uid === undefined ? {} : { uid }),
    });
    return { token, expirationTimestamp: new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z') };
  }

  /** The user of a session that has not expired. Throws one of {@link tokenErrorCodes}. */
  verify(token: string): SessionUser {
    const claims = this.#signature.claimsOf(token);
    if (claims.iss !== this.issuer) throw tokenError('TokenWrongIssuer', 'the token is not one of a session');
    if (!(Number(claims.exp) * 1000 > this.#clock.now().getTime()))
      throw tokenError('TokenExpired', 'the session has expired', { hint: 'Sign in again.' });
    return userOf(claims);
  }
}

function userOf({ sub, uid, groups }: JsonClaims): SessionUser {
  const isComplete = typeof sub === 'string' && Array.isArray(groups) && groups.every(name => typeof name === 'string');
  if (!isComplete) throw tokenError('TokenClaimMissing', 'the token names no user');
  return { username: sub, groups, ...(typeof uid === 'string' ? { uid } : {}) };
}
