import type { PlatformRow } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';

/**
 * Whether a platform's proxy is connected to any replica. A replica that died has not said so: what it has not renewed
 * for two periods does not count.
 */
export function isConnected(
  { status }: Pick<PlatformRow, 'status'>,
  now: Date,
  { maxPingPeriodMs }: Pick<BrokerSettings, 'maxPingPeriodMs'>,
): boolean {
  if (status.isConnected !== true) return false;
  return now.getTime() - Date.parse(status.lastActiveAt ?? '') <= 2 * maxPingPeriodMs;
}
