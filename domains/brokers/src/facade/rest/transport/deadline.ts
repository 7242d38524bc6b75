import type { ServerResponse } from 'node:http';
import { rejectionOf } from '@chandlery/platform';
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
    return await Promise.race([work(controller.signal), rejectionOf(controller.signal)]);
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
}
