import { type Clock, type Logger, type MetricsRegistry, silentLogger, systemClock } from '@chandlery/platform';
import { systemTimers, type Timers } from '@chandlery/runtime';
import type { WindowTimes } from './debounce-window.ts';

/** Debounce settings by class of change; {@link defaultDebounce}. */
export interface DebounceSettings {
  /** Delay of urgent changes: an endpoint is removed or becomes unhealthy, or access is revoked. */
  readonly urgentMs: number;
  /** When only endpoints have changed. */
  readonly endpoints: WindowTimes;
  /** All other changes. */
  readonly config: WindowTimes;
}

/** Limits of clients. */
export interface StreamLimits {
  /** Maximum number of names of all types on one stream. Default 100 000. */
  readonly maxNames: number;
  /** Maximum number of distinct names on all streams of one view. Default 200 000. */
  readonly maxViewNames: number;
  /**
   * Maximum number of names on all streams of one view; streams that share a set of names count once. Default 4 000
   * 000.
   */
  readonly maxViewSubscriptions: number;
  /** Maximum length of one name. Default 1 024. */
  readonly maxNameLength: number;
  /** A response without an ACK or NACK for this time is stale. Default 30 000. */
  readonly ackTimeoutMs: number;
  /** A stream whose transport is blocked for this time is ended. Default 60 000. */
  readonly stalledTimeoutMs: number;
  /** How long removed clusters are retained for routes that the client has not acknowledged. Default 5 000. */
  readonly clusterGraceMs: number;
  /** Maximum size of cached responses. Default 32 MiB. */
  readonly maxCachedBytes: number;
}

export interface DiscoveryStreamsOptions {
  /** Wall clock, for status. Default: the system clock. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** Monotonic milliseconds, as in `ViewChange.acceptedAt`. Default: `performance.now`. */
  readonly nowMs?: () => number;
  /** Yields to the event loop between batches of a push. Default: `setImmediate`. */
  readonly nextTick?: (call: () => void) => void;
  readonly debounce?: Partial<DebounceSettings>;
  readonly limits?: Partial<StreamLimits>;
  /** Default: not recorded. */
  readonly metrics?: MetricsRegistry;
  /** Default: silent. */
  readonly logger?: Logger;
}

/** The options with their defaults. */
export interface StreamSettings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly debounce: DebounceSettings;
  readonly limits: StreamLimits;
  readonly logger: Logger;
}

export function streamSettings(options: DiscoveryStreamsOptions): StreamSettings {
  return {
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    nowMs: options.nowMs ?? (() => performance.now()),
    debounce: { ...defaultDebounce, ...options.debounce },
    limits: { ...defaultLimits, ...options.limits },
    logger: options.logger ?? silentLogger,
  };
}

const defaultDebounce: DebounceSettings = {
  urgentMs: 1,
  endpoints: { quietMs: 20, maxMs: 250 },
  config: { quietMs: 50, maxMs: 1_000 },
};

const defaultLimits: StreamLimits = {
  maxNames: 100_000,
  maxViewNames: 200_000,
  maxViewSubscriptions: 4_000_000,
  maxNameLength: 1_024,
  ackTimeoutMs: 30_000,
  stalledTimeoutMs: 60_000,
  clusterGraceMs: 5_000,
  maxCachedBytes: 32 * 1024 * 1024,
};
