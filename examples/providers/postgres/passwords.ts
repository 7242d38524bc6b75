import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

/** A password that is always the same for an identity, and cannot be guessed without the seed. */
export const passwordOf = (seed: string, identity: string): string =>
  createHmac('sha256', seed).update(identity).digest('base64url');

/**
 * Whether what PostgreSQL stores for a password is made of this one; see RFC 5802, section 3. So it can be verified without
 * logging in, which would take one of the tenant's connections.
 */
export function isMadeOf(stored: string, password: string): boolean {
  const [, rounds, salt = '', storedKey = ''] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):/.exec(stored) ?? [];
  if (rounds === undefined) return false;
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(rounds), 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const [made, kept] = [createHash('sha256').update(clientKey).digest(), Buffer.from(storedKey, 'base64')];
  return made.length === kept.length && timingSafeEqual(made, kept);
}
