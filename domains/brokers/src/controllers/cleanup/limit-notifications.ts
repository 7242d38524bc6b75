import { isError, toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type NotificationRow, type Registry, removeRow } from '../../model/rows.ts';

/** All notifications are in memory: a broker that changes a large catalog often must not fill it. */
const defaultMaxBytes = 32 * 1024 * 1024;
/** The share of the limit that is left after a removal, so that not every notification causes one. */
const keptShare = 0.75;
/** Rows in one commit. */
const batchSize = 200;

interface LimitOptions {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Of the payloads as JSON. Default 32 MiB. */
  readonly maxBytes?: number;
}

/**
 * Removes the oldest notifications when their total size exceeds the limit. A proxy whose revision was removed receives
 * `Gone` and resyncs. The registry must be synced, and only one may run at a time.
 */
export function limitNotifications({ registry, logger, maxBytes = defaultMaxBytes }: LimitOptions): AsyncDisposable {
  const sizes = new Map<string, number>();
  let total = 0;
  let isStopped = false;
  let running: Promise<void> | undefined;
  const forget = (id: string): void => {
    total -= sizes.get(id) ?? 0;
    sizes.delete(id);
  };
  const trim = async (): Promise<void> => {
    while (!isStopped && total > maxBytes * keptShare) {
      const oldest = oldestOver(registry, sizes, total - maxBytes * keptShare);
      if (oldest.length === 0) return;
      await registry.commit(oldest.map(row => removeRow('notifications', row)));
    }
  };
  const trimIfNeeded = (): void => {
    if (total <= maxBytes || running !== undefined) return;
    running = trim()
      // Notifications also expire by their TTL, which conflicts with this commit; the next notification triggers
      // another attempt.
      .catch(error => void (isError(error, 'Conflict') || warn(logger, error)))
      .finally(() => {
        running = undefined;
      });
  };
  const note = (row: NotificationRow): void => {
    if (sizes.has(row.id)) return;
    const size = JSON.stringify(row.spec.payload).length;
    sizes.set(row.id, size);
    total += size;
  };
  for (const row of registry.notifications.all()) note(row);
  const stop = registry.notifications.listen(({ type, row }) => {
    if (type === 'removed') forget(row.id);
    else note(row);
    trimIfNeeded();
  });
  trimIfNeeded();
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      stop();
      await running;
    },
  };
}

/** The oldest notifications, as many as make up `bytes`, in one commit at most. */
function oldestOver(registry: Registry, sizes: ReadonlyMap<string, number>, bytes: number): NotificationRow[] {
  const rows: NotificationRow[] = [];
  let sum = 0;
  for (const row of registry.notifications.all()) {
    if (sum >= bytes || rows.length >= batchSize) break;
    rows.push(row);
    sum += sizes.get(row.id) ?? 0;
  }
  return rows;
}

const warn = (logger: Logger, error: unknown): void =>
  logger.warn('could not remove old notifications', { code: toError(error).code });
