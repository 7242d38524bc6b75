import type { ServerResponse } from 'node:http';
import { smError } from '../../../errors.ts';

/**
 * Runs `work` until it ends, the deadline expires (503 `Timeout`) or the caller disconnects; the signal is aborted in
 * the last two cases.
 */
export async function withDeadline<T>(
  response: ServerResponse,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(smError('Timeout', 'operation has timed out')), timeoutMs);
  const onClose = () => controller.abort(smError('Timeout', 'the caller has hung up'));
  response.once('close', onClose);
  try {
    return await Promise.race([work(controller.signal), untilAborted(controller.signal)]);
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
