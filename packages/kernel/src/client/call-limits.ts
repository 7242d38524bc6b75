import { apiError } from '@chandlery/api';
import type { RequestOptions } from '@chandlery/client';
import { clientFailure } from './client-failure.ts';

/** Runs the work and waits for it up to the caller's limits. Work in progress continues, as it would on a server. */
export async function withinLimits<T>(options: RequestOptions, work: () => Promise<T>): Promise<T> {
  const { signal, timeoutMs } = options;
  if (signal === undefined && timeoutMs === undefined) return mapFailure(work);
  signal?.throwIfAborted();
  const givingUp = Promise.withResolvers<never>();
  const onAbort = (): void => givingUp.reject(signal?.reason);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => givingUp.reject(tooLate(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([mapFailure(work), givingUp.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function mapFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw clientFailure(thrown);
  }
}

const tooLate = (timeoutMs: number): Error => apiError('Timeout', `there was no response within ${timeoutMs} ms`);
