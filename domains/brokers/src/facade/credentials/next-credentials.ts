import type { CredentialRow, NotificationRow } from '../../model/rows.ts';
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

/** So many unconfirmed pairs hold at a time: a platform that never confirms does not collect them. */
const maxUnconfirmed = 3;

/**
 * What is stored when a platform sends other credentials. The new pair is not confirmed yet, so those that may be in use
 * are kept beside it: the one before if it was confirmed or is the only one, or else that which was kept already, and the
 * last ones that were never confirmed. (The platform may have taken one of those, and we did not hear of it.)
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
