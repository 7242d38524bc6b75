import { ChandleryError } from '@chandlery/api';
import { listenForStop } from './stop-signal.ts';

/** Limits how long a command waits: until its timeout, or until Ctrl-C. */
export interface WaitLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Returns the error to throw: the progress, when the wait was ended. */
  explain(thrown: unknown, progress: WaitProgress): unknown;
}

/** The progress of what is waited for. */
export interface WaitProgress {
  /** A clause, such as "its state is accepted". */
  readonly state: string;
  /** Default: none. */
  readonly reason?: string;
  /** How to continue: a clause that begins with a command. */
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
