import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type PlatformRow, type Registry, updateRow } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import { retryConflicts } from '../shared/retry-conflicts.ts';
import { isConnected } from './is-connected.ts';
import { type Presence, presenceStatus } from './presence-status.ts';

/** What presence needs. */
export interface PresenceDeps {
  readonly registry: Registry;
  readonly settings: Pick<BrokerSettings, 'maxPingPeriodMs'>;
  readonly logger: Logger;
}

type News = Pick<Presence, 'username' | 'agentVersion' | 'isConcluded'>;

/**
 * Writes into platforms whether their proxies are connected to this replica: on changes, and every half period while a
 * proxy is active. A failed write is logged and repeated later; it closes no connection.
 */
export class PlatformPresence implements AsyncDisposable {
  readonly #deps: PresenceDeps;
  /** Connections here, by platform. */
  readonly #counts = new Map<string, number>();
  /** The last write of each platform, so that they do not overtake each other. */
  readonly #writes = new Map<string, Promise<void>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    this.#sweep = setInterval(() => this.#correctStale(), 2 * deps.settings.maxPingPeriodMs).unref();
  }

  /** A connection is there. Resolves when it is written, with the credentials confirmed that it was made with. */
  connected({ platformId, username }: PlatformCaller, agentVersion: string | undefined): Promise<void> {
    this.#count(platformId, 1);
    return this.#write(platformId, { username, agentVersion });
  }

  /** A connection has given a sign of life. */
  seen(platformId: string): void {
    const row = this.#deps.registry.platforms.get(platformId);
    if (row !== undefined && presenceStatus(row.status, this.#presenceOf(platformId, {})) !== undefined)
      void this.#write(platformId, {});
  }

  /** A connection has closed. */
  disconnected(platformId: string): void {
    this.#count(platformId, -1);
    if (!this.#counts.has(platformId)) void this.#write(platformId, {});
  }

  /** A platform looks otherwise: perhaps another replica has lost a connection and does not know of those here. */
  changed({ id, status }: PlatformRow): void {
    if (this.#counts.has(id) && status.isConnected !== true) void this.#write(id, {});
  }

  /** Resolves when everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all(this.#writes.values());
  }

  #count(platformId: string, change: number): void {
    const count = (this.#counts.get(platformId) ?? 0) + change;
    if (count > 0) this.#counts.set(platformId, count);
    else this.#counts.delete(platformId);
  }

  /** What a dead replica has left behind. */
  #correctStale(): void {
    for (const row of this.#deps.registry.platforms.all())
      if (this.#isStale(row)) void this.#write(row.id, { isConcluded: true });
  }

  #isStale(row: PlatformRow): boolean {
    const { registry, settings } = this.#deps;
    if (row.status.isConnected !== true || this.#counts.has(row.id)) return false;
    return !isConnected(row, new Date(registry.now()), settings);
  }

  #write(platformId: string, news: News): Promise<void> {
    const before = this.#writes.get(platformId) ?? Promise.resolve();
    const write = before.then(() => this.#writeNow(platformId, news));
    this.#writes.set(platformId, write);
    void write.then(() => {
      if (this.#writes.get(platformId) === write) this.#writes.delete(platformId);
    });
    return write;
  }

  async #writeNow(platformId: string, news: News): Promise<void> {
    const { registry, logger } = this.#deps;
    try {
      await retryConflicts(async () => {
        const row = registry.platforms.get(platformId);
        if (row === undefined || (news.isConcluded === true && !this.#isStale(row))) return;
        const status = presenceStatus(row.status, this.#presenceOf(platformId, news));
        if (status !== undefined) await registry.commit([updateRow({ table: 'platforms', row, status })]);
      });
    } catch (thrown) {
      logger.warn('the presence of a platform could not be stored', { platformId, error: toError(thrown).message });
    }
  }

  #presenceOf(platformId: string, news: News): Presence {
    const { registry, settings } = this.#deps;
    const renewalMs = settings.maxPingPeriodMs / 2;
    return { isConnected: this.#counts.has(platformId), now: registry.now(), renewalMs, ...news };
  }
}
