import { type Clock, type Logger, type MetricsRegistry, silentLogger, systemClock } from '@chandlery/platform';
import { systemTimers, type Timers } from '@chandlery/runtime';
import type { WindowTimes } from './debounce-window.ts';

/** How long changes are gathered before they are told, by class. */
export interface DebounceSettings {
  /** When something goes away or falls ill. Default 1. */
  readonly urgentMs: number;
  /** When only endpoints have changed. Default 20 quiet, 250 at most. */
  readonly endpoints: WindowTimes;
  /** Everything else. Default 50 quiet, 1 000 at most. */
  readonly config: WindowTimes;
}

/** What a client may take, and how long it may take for it. */
export interface StreamLimits {
  /** Of all types together on one stream. Default 100 000. */
  readonly maxNames: number;
  /** Different names on all streams of one view, that is of one account in one place. Default 200 000. */
  readonly maxViewNames: number;
  /** Names on all streams of one view together; streams that share a set of names count once. Default 4 000 000. */
  readonly maxViewSubscriptions: number;
  /** Of one name. Default 1 024. */
  readonly maxNameLength: number;
  /** Not answered for so long counts as stale. Default 30 000. */
  readonly ackTimeoutMs: number;
  /** A transport that takes nothing for so long ends the stream. Default 60 000. */
  readonly stalledTimeoutMs: number;
  /** How long clusters that are gone are kept for routes that the client has not answered. Default 5 000. */
  readonly clusterGraceMs: number;
  /** Of encoded responses that are kept for other streams. Default 32 MiB. */
  readonly maxCachedBytes: number;
}

export interface DiscoveryStreamsOptions {
  /** For what people read. Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** Milliseconds that never go back, as `ViewChange.acceptedAt` has them. Default: `performance.now`. */
  readonly nowMs?: () => number;
  /** Lets others have their turn during a long push. Default: `setImmediate`. */
  readonly nextTick?: (call: () => void) => void;
  readonly debounce?: Partial<DebounceSettings>;
  readonly limits?: Partial<StreamLimits>;
  /** Default: not measured. */
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
