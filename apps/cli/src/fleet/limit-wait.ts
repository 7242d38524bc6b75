import { ChandleryError } from '@chandlery/api';
import { listenForStop } from '../landscape/stop-signal.ts';

/** How long a command waits: until its time is over, or until somebody presses Ctrl-C. */
export interface WaitLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Returns what to throw for what was thrown: how far it was, when the wait was ended. */
  explain(thrown: unknown, progress: WaitProgress): unknown;
}

/** How far something is that is waited for. */
export interface WaitProgress {
  /** A clause, such as "its state is accepted". */
  readonly state: string;
  /** Default: none. */
  readonly reason?: string;
  /** How to look again: a clause that begins with a command. */
  readonly next: string;
}

/** Limits a wait. */
export function limitWait(timeoutMs: number): WaitLimit {
  const stop = listenForStop();
  const timeout = AbortSignal.timeout(timeoutMs);
  return {
    signal: AbortSignal.any([timeout, stop.signal]),
    explain: (thrown, { state, reason = '', next }) => {
      const because = reason === '' ? '' : `: ${reason}`;
      if (stop.signal.aborted)
        return new ChandleryError('Interrupted', `you stopped waiting; ${state}${because}`, {
          hint: `It continues: ${next}.`,
        });
      if (!timeout.aborted) return thrown;
      const hint = `It continues: ${next}; --timeout waits longer.`;
      return new ChandleryError('Timeout', `${state} after ${timeoutMs / 1000} s${because}`, { hint });
    },
    [Symbol.dispose]: () => stop[Symbol.dispose](),
  };
}
