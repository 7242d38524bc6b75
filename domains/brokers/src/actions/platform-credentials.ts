import { createHash, randomBytes } from 'node:crypto';
import type { PlatformRow } from '../model/rows.ts';

/** New credentials of a platform, and what is kept of them. */
export interface NewPlatformCredentials {
  readonly username: string;
  /** Shown once; only its hash is stored. */
  readonly password: string;
  readonly stored: NonNullable<PlatformRow['status']['credentials']>;
}

/** Makes credentials that no connection has been made with yet: two times 32 random bytes. */
export function newPlatformCredentials(): NewPlatformCredentials {
  const username = randomBytes(32).toString('base64');
  const password = randomBytes(32).toString('base64');
  return { username, password, stored: { username, passwordHash: hashPlatformPassword(password), isActive: false } };
}

/** What is stored of a platform's password. It is random and long, so a plain hash is enough. */
export const hashPlatformPassword = (password: string): string => createHash('sha256').update(password).digest('hex');
