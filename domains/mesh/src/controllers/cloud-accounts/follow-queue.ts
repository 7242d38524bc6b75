import { type ChandleryError, toError } from '@chandlery/api';
import { backOffMs, pause, type Timers } from '@chandlery/runtime';
import type { MachineEvents, ReceivedEvent } from '../../ports/machine-events.ts';

export interface FollowQueueOptions {
  readonly events: MachineEvents;
  /** Called with the messages of a response, before they are removed. */
  readonly onReceived: (received: readonly ReceivedEvent[]) => void;
  /** Called after each response, with the error if there is one. */
  readonly onOutcome: (error: ChandleryError | undefined) => void;
  readonly timers: Timers;
  /** From 0 up to but not 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** From a second up to five minutes. */
const backOff = { baseMs: 1000, maxMs: 5 * 60_000 };

/**
 * Receives the messages of a queue until it is aborted, and removes them once they were handled. After a failure it waits
 * and asks for a single message: a response with many may have been too large.
 */
export async function followQueue({ events, onReceived, onOutcome, ...options }: FollowQueueOptions): Promise<void> {
  const { timers, random, signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const received = await events.receive(failures === 0 ? events.batch : 1, signal);
      onReceived(received);
      if (received.length > 0)
        await events.remove(
          received.map(({ receipt }) => receipt),
          signal,
        );
      failures = 0;
      onOutcome(undefined);
      if (received.length === 0 && events.idlePauseMs > 0) await pause(timers, events.idlePauseMs, signal);
    } catch (thrown) {
      if (signal.aborted) return;
      failures += 1;
      const error = toError(thrown);
      onOutcome(error);
      const { retryAfterSeconds = 0 } = error.details;
      const pauseMs = Math.max(retryAfterSeconds * 1000, backOffMs(failures, backOff, random));
      await pause(timers, pauseMs, signal);
    }
  }
}
