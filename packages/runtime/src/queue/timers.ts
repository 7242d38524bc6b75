/** Calls later. Passed in, so that tests can say when "later" is. */
export interface Timers {
  /** Calls once after the delay, unless the returned function is called before. */
  after(delayMs: number, call: () => void): () => void;
}

/** What `setTimeout` can hold; a longer delay would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The timers of this process. A pending one keeps the process alive: a controller that waits to reconnect must not end. */
export const systemTimers: Timers = {
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, delayMs), longestDelayMs));
    return () => clearTimeout(timer);
  },
};
