/** Delayed calls. Passed in, so that tests control time. */
export interface Timers {
  /** Calls once after the delay, unless the returned function is called before. */
  after(delayMs: number, call: () => void): () => void;
}

/** The largest delay of `setTimeout`; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** The timers of this process. A pending one keeps the process alive: a controller that waits to reconnect must not exit. */
export const systemTimers: Timers = {
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, delayMs), maxDelayMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or as soon as the signal is aborted. */
export function pause(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    cancel();
    signal.removeEventListener('abort', end);
    resolve();
  };
  const cancel = timers.after(delayMs, end);
  signal.addEventListener('abort', end, { once: true });
  return promise;
}
