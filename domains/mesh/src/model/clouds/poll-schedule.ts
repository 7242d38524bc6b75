/** The last read of an account. Times are in milliseconds. */
export interface PollRecord {
  /** What was asked for: other questions are due at once. */
  readonly demand: string;
  /** When it began. */
  readonly atMs: number;
  readonly nextMs: number;
  /** The cloud has asked to wait until then. */
  readonly notBeforeMs: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** Reads of an account are at least so far apart, however often its resources change. */
const minGapMs = 2000;
const maxBackOffMs = 5 * 60_000;
/** The share of a pause that is random, so that accounts are not all read at the same time. */
const jitter = 0.1;

export interface PollOutcome {
  readonly demand: string;
  /** When the read began. */
  readonly nowMs: number;
  /** When it ended, perhaps minutes later. */
  readonly endMs: number;
  readonly pollMs: number;
  /** From 0 up to but not 1. */
  readonly random: number;
  /** How long the cloud has asked to wait. Default 0. */
  readonly retryAfterMs?: number;
}

/** After a read of all that was asked for, or of a part of it. */
export function afterSuccess({ demand, nowMs, endMs, pollMs, random, retryAfterMs = 0 }: PollOutcome): PollRecord {
  const notBeforeMs = endMs + retryAfterMs;
  const nextMs = Math.max(notBeforeMs, nowMs + pollMs * (1 - jitter * random));
  return { demand, atMs: nowMs, notBeforeMs, failures: 0, nextMs };
}

/** Pauses grow with the failures in a row, up to five minutes; the cloud may ask for a longer one. */
export function afterFailure(
  before: PollRecord | undefined,
  { demand, nowMs, endMs, pollMs, random, retryAfterMs = 0 }: PollOutcome,
): PollRecord {
  const failures = (before?.failures ?? 0) + 1;
  const backOffMs = Math.min(pollMs * 2 ** (failures - 1), Math.max(pollMs, maxBackOffMs));
  const notBeforeMs = endMs + retryAfterMs;
  const nextMs = Math.max(notBeforeMs, endMs + backOffMs * (1 - jitter * random));
  return { demand, atMs: nowMs, notBeforeMs, failures, nextMs };
}

/**
 * When an account is to be read. `changedAtMs`: when an event of its cloud came last. While reads fail, events do not
 * shorten their pauses.
 */
export function dueMs(last: PollRecord | undefined, demand: string, changedAtMs = Number.NEGATIVE_INFINITY): number {
  if (last === undefined) return 0;
  const hasChanged = last.failures === 0 && changedAtMs >= last.atMs;
  if (last.demand === demand && !hasChanged) return last.nextMs;
  return Math.max(last.notBeforeMs, last.atMs + minGapMs);
}
