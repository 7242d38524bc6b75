import type { ContainerObservation, PreparationFailure } from './observation.ts';

/** The back-off of failing containers. Kubernetes' numbers by default. */
export interface BackOff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** A container that ran this long has its failures reset. */
  readonly resetMs: number;
}

export const defaultBackOff: BackOff = { initialMs: 10_000, maxMs: 300_000, resetMs: 600_000 };

const doubled = (backOff: BackOff, times: number): number =>
  Math.min(backOff.initialMs * 2 ** Math.min(times, 30), backOff.maxMs);

/** The wait before a restart: none for the first, then doubling. */
export const restartDelayMs = (backOff: BackOff, crashes: number): number =>
  crashes <= 1 ? 0 : doubled(backOff, crashes - 2);

/** The delay before the preparation of a container is retried. */
export const preparationDelayMs = (backOff: BackOff, failure: PreparationFailure): number =>
  doubled(backOff, failure.attempts - 1);

/** When an ended container may start again. */
export const restartAtMs = (backOff: BackOff, container: ContainerObservation): number =>
  (container.finished?.finishedAtMs ?? 0) + restartDelayMs(backOff, container.crashes);

/** Failures to count after a run of this length, this one included. */
export const countCrashes = (backOff: BackOff, crashes: number, ranMs: number): number =>
  ranMs >= backOff.resetMs ? 1 : crashes + 1;

/** A failed pull is first reported as an error, then as waiting: this is when the reason changes. */
export const imageErrorUntilMs = (failedAtMs: number, retryAtMs: number): number =>
  failedAtMs + Math.min((retryAtMs - failedAtMs) / 2, 10_000);
