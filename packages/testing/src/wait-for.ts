import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';

/** How long `eventually` waits. */
export interface EventuallyOptions {
  /** Default 30 000. */
  readonly timeoutMs?: number;
  /** Pause after the first miss; it doubles up to ten times its size. Default 10. */
  readonly pauseMs?: number;
  /** Completes the sentence "timed out waiting for …". Default: "the condition". */
  readonly what?: string;
}

type Found<T> = Exclude<T, false | null | undefined>;

/**
 * Calls `attempt` until it neither throws nor returns `false`, `null` or `undefined`, and returns what it returned.
 *
 * The type rejects attempts that return nothing, because `undefined` means "not yet": one that only asserts ends with
 * `return true`. The last failure is the error's cause.
 */
export async function eventually<T extends NonNullable<unknown> | null | undefined>(
  attempt: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Found<T>> {
  const { timeoutMs = 30_000, pauseMs = 10, what = 'the condition' } = options;
  const deadline = performance.now() + timeoutMs;
  let lastFailure: unknown;
  for (let pause = pauseMs; ; pause = Math.min(pause * 2, pauseMs * 10)) {
    try {
      const result = await attempt();
      if (result !== false && result !== null && result !== undefined) return result as Found<T>;
      lastFailure = undefined;
    } catch (failure) {
      lastFailure = failure;
    }
    if (performance.now() + pause > deadline) break;
    await sleep(pause);
  }
  throw timedOut(what, timeoutMs, lastFailure);
}

function timedOut(what: string, timeoutMs: number, cause: unknown): ChandleryError {
  const because = cause instanceof Error ? `: ${cause.message}` : '';
  return new ChandleryError('Timeout', `timed out after ${timeoutMs} ms waiting for ${what}${because}`, { cause });
}
