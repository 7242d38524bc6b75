import { timingSafeEqual } from 'node:crypto';
import { hashPlatformPassword } from '../../actions/platform-credentials.ts';
import { smError } from '../../errors.ts';
import type { PlatformRow, Registry, RemovedPlatformRow } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';

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
  const isCurrent = proves({ username, password }, status.credentials);
  if (!isCurrent && !proves({ username, password }, status.oldCredentials)) return undefined;
  return { type: 'platform', platformId: id, username, usesOldCredentials: !isCurrent };
}

/** Throws `PlatformDeleted` for credentials that a platform had when it was deleted. */
export function rejectRemovedPlatform({ removedPlatforms }: Registry, login: Login): void {
  for (const { spec } of removedPlatforms.by('username', login.username))
    if (spec.credentials.some(pair => proves(login, pair))) throw platformDeleted(spec);
}

const platformDeleted = ({ platformId }: RemovedPlatformRow['spec']): Error =>
  smError(
    'PlatformDeleted',
    `the platform ${platformId} was deleted at the service manager; register it again to use it`,
  );

interface StoredPair {
  readonly username: string;
  readonly passwordHash: string;
}

const proves = ({ username, password }: Login, pair: StoredPair | undefined): boolean =>
  pair?.username === username && isSame(Buffer.from(pair.passwordHash), Buffer.from(hashPlatformPassword(password)));

const isSame = (left: Buffer, right: Buffer): boolean => left.length === right.length && timingSafeEqual(left, right);
