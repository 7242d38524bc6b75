import type { PlatformRow } from '../../model/rows.ts';

type PlatformStatus = PlatformRow['status'];

/** What is known of a platform's proxy here and now. */
export interface Presence {
  readonly isConnected: boolean;
  /** As rows have it. */
  readonly now: string;
  /** After which `lastActiveAt` is written again. */
  readonly renewalMs: number;
  /** By what name a connection was just made. Default: none was made. */
  readonly username?: string;
  /** What the proxy calls itself. Default: as before. */
  readonly agentVersion?: string | undefined;
  /** The state was inferred without a sign of life: `lastActiveAt` stays. Default false. */
  readonly isConcluded?: boolean;
}

/**
 * The status with the presence, or undefined when nothing changes.
 *
 * A connection with the present credentials confirms them and ends the old ones.
 */
export function presenceStatus(status: PlatformStatus, presence: Presence): PlatformStatus | undefined {
  const { isConnected, now, username, agentVersion = status.agentVersion, isConcluded = false } = presence;
  const confirmed = confirmedStatus(status, username);
  const isOther = isConnected !== (status.isConnected ?? false) || agentVersion !== status.agentVersion;
  if (!isOther && confirmed === status && !(isConnected && isDue(status, presence))) return undefined;
  return {
    ...confirmed,
    isConnected,
    ...(isConcluded ? {} : { lastActiveAt: now }),
    ...(agentVersion === undefined ? {} : { agentVersion }),
  };
}

function confirmedStatus(status: PlatformStatus, username: string | undefined): PlatformStatus {
  const { credentials, oldCredentials, ...others } = status;
  if (credentials === undefined || credentials.username !== username) return status;
  if (credentials.isActive === true && oldCredentials === undefined) return status;
  return { ...others, credentials: { ...credentials, isActive: true } };
}

const isDue = ({ lastActiveAt = '' }: PlatformStatus, { now, renewalMs }: Presence): boolean =>
  !(Date.parse(now) - Date.parse(lastActiveAt) < renewalMs);
