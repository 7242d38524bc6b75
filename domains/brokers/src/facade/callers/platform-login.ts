import { timingSafeEqual } from 'node:crypto';
import { hashPlatformPassword } from '../../model/platform-credentials.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { PlatformRow, Registry } from '../../registry/registry.ts';

/** A name and a password, as shown by a request. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The platform that has this user name; undefined when none has. */
export function platformOfUsername({ platforms }: Registry, username: string): PlatformRow | undefined {
  const [platform] = platforms.by('username', username);
  return platform;
}

/** The caller that a platform's own credentials prove, present or replaced ones; undefined for a wrong password. */
export function logInPlatform(
  { id, spec, status }: PlatformRow,
  { username, password }: Login,
): PlatformCaller | undefined {
  if (spec.technical === true) return undefined;
  const hash = Buffer.from(hashPlatformPassword(password));
  const proves = (pair: typeof status.credentials): boolean =>
    pair?.username === username && isSame(Buffer.from(pair.passwordHash), hash);
  const isCurrent = proves(status.credentials);
  if (!isCurrent && !proves(status.oldCredentials)) return undefined;
  return { type: 'platform', platformId: id, username, usesOldCredentials: !isCurrent };
}

const isSame = (left: Buffer, right: Buffer): boolean => left.length === right.length && timingSafeEqual(left, right);
