import { ChandleryError } from '@chandlery/api';
import { type Clock, systemClock } from '@chandlery/platform';
import { systemTimers, type Timers } from '../queue/timers.ts';

/**
 * How long a lease lasts and how often it is renewed; where time comes from. Maintenance of the kernel has another
 * election, with a timeout of its own (`StoreLeadership`): docs/decisions/one-leader.md.
 */
export interface LeaseTimingOptions {
  /** How long others wait after the last sign of life. Whole seconds on the wire, rounded up. Default 15,000. */
  readonly leaseDurationMs?: number;
  /** How long a holder that cannot renew still acts. Shorter than the lease by what clocks may drift. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** Between attempts. Default 2000. */
  readonly retryPeriodMs?: number;
  /** For the written times, which are informative only. Default: the machine's. */
  readonly clock?: Clock;
  /** Milliseconds that only rise. Default: the process' monotonic clock. */
  readonly monotonicMs?: () => number;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** From 0 up to but not 1; spreads the attempts of those who wait. Default `Math.random`. */
  readonly random?: () => number;
}

export type LeaseTiming = Required<LeaseTimingOptions>;

const jitterFactor = 1.2;

/** Fills in the defaults. Throws `InvalidOptions` for times that allow two holders, or none for long. */
export function leaseTiming(options: LeaseTimingOptions): LeaseTiming {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  if (leaseDurationMs <= renewDeadlineMs) throw invalid('leaseDurationMs must be longer than renewDeadlineMs');
  if (renewDeadlineMs <= retryPeriodMs * jitterFactor)
    throw invalid(`renewDeadlineMs must be longer than ${jitterFactor} × retryPeriodMs`);
  if (retryPeriodMs <= 0) throw invalid('retryPeriodMs must be more than 0');
  return {
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    clock: options.clock ?? systemClock,
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    timers: options.timers ?? systemTimers,
    random: options.random ?? Math.random,
  };
}

/** The pause before the next attempt of one who does not hold the lease. */
export const jitteredPeriodMs = ({ retryPeriodMs, random }: LeaseTiming): number =>
  retryPeriodMs * (1 + jitterFactor * random());

const invalid = (message: string): ChandleryError => new ChandleryError('InvalidOptions', message);
