import type { Timers } from '../queue/timers.ts';

/** Waits for a while, or until the signal is aborted. */
export function pause(delayMs: number, timers: Timers, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(delayMs, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
