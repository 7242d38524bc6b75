import { toError } from '@chandlery/api';

/** Rejects with the signal's reason when it aborts; never resolves. */
export const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(toError(signal.reason));
    else signal.addEventListener('abort', () => reject(toError(signal.reason)), { once: true });
  });
