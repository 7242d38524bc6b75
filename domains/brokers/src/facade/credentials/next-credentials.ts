import type { CredentialRow, NotificationRow } from '../../model/rows.ts';
import type { SentCredentials } from './read-credentials.ts';

type CredentialSpec = CredentialRow['spec'];

/** Whether a notification concerns this platform and this broker. */
export function isAbout(
  { spec }: NotificationRow,
  { platformId, brokerId }: { readonly platformId: string; readonly brokerId: string },
): boolean {
  const isForPlatform = spec.platformIds?.includes(platformId) ?? true;
  return spec.resource === '/v1/service_brokers' && spec.resourceId === brokerId && isForPlatform;
}

/** So many unconfirmed pairs hold at a time: a platform that never confirms does not collect them. */
const maxUnconfirmed = 3;

/**
 * The stored credentials after a platform sends another pair. The new pair is unconfirmed, so pairs that may be in use
 * stay valid: the previous one if it was confirmed or is the only one, otherwise the one kept before, and the last
 * unconfirmed ones, because a platform may use a pair without having confirmed it.
 */
export function replacedCredentials(spec: CredentialSpec, sent: SentCredentials): CredentialSpec {
  const { platformId, brokerId, username, passwordHash, isActive = false } = spec;
  const next = { platformId, brokerId, username: sent.username, passwordHash: sent.passwordHash, isActive: false };
  const present = { username, passwordHash };
  if (isActive || spec.old === undefined) return { ...next, old: present };
  return { ...next, old: spec.old, tried: [...(spec.tried ?? []), present].slice(-maxUnconfirmed) };
}

/** Whether the same pair is stored already, so that a repeated request changes nothing. */
export const isStored = (spec: CredentialSpec, { username, passwordHash }: SentCredentials): boolean =>
  spec.username === username && spec.passwordHash === passwordHash;

/** What is stored when a platform confirms that it uses the new pair: all others end. */
export function confirmedCredentials({ old: _old, tried: _tried, ...spec }: CredentialSpec): CredentialSpec {
  return { ...spec, isActive: true };
}
