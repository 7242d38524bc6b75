import type { CredentialRow, NotificationRow } from '../../registry/registry.ts';
import type { SentCredentials } from './read-credentials.ts';

type CredentialSpec = CredentialRow['spec'];

/** Whether a notification tells this platform of this broker. */
export function isAbout(
  { spec }: NotificationRow,
  { platformId, brokerId }: { readonly platformId: string; readonly brokerId: string },
): boolean {
  const isForPlatform = spec.platformIds?.includes(platformId) ?? true;
  return spec.resource === '/v1/service_brokers' && spec.resourceId === brokerId && isForPlatform;
}

/**
 * What is stored when a platform sends other credentials. The new pair is not confirmed yet, so one that works is kept
 * beside it: the one before if it was confirmed or is the only one, or else that which was kept already.
 */
export function replacedCredentials(spec: CredentialSpec, sent: SentCredentials): CredentialSpec {
  const { platformId, brokerId, username, passwordHash, isActive = false } = spec;
  const old = isActive || spec.old === undefined ? { username, passwordHash } : spec.old;
  return { platformId, brokerId, username: sent.username, passwordHash: sent.passwordHash, isActive: false, old };
}

/** Whether the same pair is stored already, so that a repeated request changes nothing. */
export const isStored = (spec: CredentialSpec, { username, passwordHash }: SentCredentials): boolean =>
  spec.username === username && spec.passwordHash === passwordHash;

/** What is stored when a platform confirms that it uses the new pair: the old one ends. */
export function confirmedCredentials({ old: _old, ...spec }: CredentialSpec): CredentialSpec {
  return { ...spec, isActive: true };
}
