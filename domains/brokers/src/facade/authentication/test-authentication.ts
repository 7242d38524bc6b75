import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { hash } from 'bcryptjs';
import { type NewPlatformCredentials, newPlatformCredentials } from '../../actions/platform-credentials.ts';
import type { CredentialRow, PlatformRow, Registry } from '../../model/rows.ts';
import type { FindUser } from '../../ports.ts';
import { type Seed, seedPlatform, seedRow } from '../../test-registry.ts';
import { type AuthenticatorOptions, createAuthenticator } from './create-authenticator.ts';

// Helpers for the tests of callers, credentials and notifications.

/** Knows `Bearer operator`, `Bearer tenant` and the operator's token as a Basic password; other tokens are refused. */
export const findUser: FindUser = async ({ authorization = '' }) => {
  if (authorization === '') return undefined;
  if (authorization === 'Bearer operator' || authorization === basic('anybody', 'operator'))
    return { type: 'operator', username: 'admin' };
  if (authorization === 'Bearer tenant') return { type: 'user', username: 'tom', may: () => false, tenants: () => [] };
  throw new ChandleryError('Unauthorized', 'no such token');
};

/** The callers of a registry, with those users. */
export const startAuthenticator = (registry: Registry, options: Partial<AuthenticatorOptions> = {}) =>
  createAuthenticator({ registry, findUser, logger: silentLogger, ...options });

/** A header for a name and a password. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** A request that shows this. */
export function requestWith(authorization?: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  if (authorization !== undefined) request.headers.authorization = authorization;
  return request;
}

/** A platform that can log in. */
export interface KnownPlatform {
  readonly platform: PlatformRow;
  readonly authorization: string;
  readonly login: NewPlatformCredentials;
}

/** Makes a platform with credentials. */
export async function seedKnownPlatform(registry: Registry, seed: Seed<'platforms'> = {}): Promise<KnownPlatform> {
  const login = newPlatformCredentials();
  const platform = await seedPlatform(registry, { ...seed, status: { credentials: login.stored, ...seed.status } });
  return { platform, login, authorization: basic(login.username, login.password) };
}

/** The cheapest hash that is accepted. */
export const hashed = (password: string): Promise<string> => hash(password, 4);

/** Makes credentials of a platform for a broker: user `u-<password>`. */
export async function seedCredential(
  registry: Registry,
  { platformId, brokerId, password, old, isActive = false }: SeededCredential,
): Promise<CredentialRow> {
  const pair = async (word: string) => ({ username: `u-${word}`, passwordHash: await hashed(word) });
  const spec = {
    platformId,
    brokerId,
    isActive,
    ...(await pair(password)),
    ...(old === undefined ? {} : { old: await pair(old) }),
  };
  return seedRow(registry, 'credentials', { spec });
}

interface SeededCredential {
  readonly platformId: string;
  readonly brokerId: string;
  readonly password: string;
  /** The password of the pair before. Default: there is none. */
  readonly old?: string;
  readonly isActive?: boolean;
}
