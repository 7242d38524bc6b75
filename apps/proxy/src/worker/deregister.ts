import { setTimeout as pause } from 'node:timers/promises';
import { type Logger } from '@chandlery/platform';
import { backOffMs } from '@chandlery/runtime';
import { failureFields } from '../model/failure-fields.ts';
import { type RemainingBroker, type WithdrawDeps, withdrawBrokers } from './withdraw-brokers.ts';

export interface DeregisterOptions extends WithdrawDeps {
  readonly logger: Logger;
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
  readonly signal: AbortSignal;
  /** Called after each attempt with what is still registered. */
  readonly onProgress: (remaining: readonly RemainingBroker[]) => void;
}

/**
 * Removes everything that the proxy has registered, because the service manager has removed the platform. What fails or is
 * refused is tried again until nothing is left or the signal aborts. Never rejects.
 */
export async function deregister(options: DeregisterOptions): Promise<void> {
  const { logger, signal, retryDelayMs: baseMs, maxRetryDelayMs: maxMs } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const isDone = await deregisterOnce(options);
    if (isDone) return logger.info('deregistered: nothing of this proxy is left at the platform; it can be stopped');
    await pause(backOffMs(failures, { baseMs, maxMs }), undefined, { signal }).catch(() => undefined);
  }
}

/** Whether nothing was left to remove. */
async function deregisterOnce(options: DeregisterOptions): Promise<boolean> {
  const { platform, logger, onProgress } = options;
  try {
    const { own, removed, remaining } = await withdrawBrokers(options, brokers => platform.abandonOrders(brokers));
    for (const name of removed) logger.info('broker deregistered', { broker: name });
    for (const { name, why } of remaining) logger.warn('broker cannot be deregistered yet', { broker: name, why });
    onProgress(remaining);
    return own === 0;
  } catch (thrown) {
    logger.warn('cannot deregister yet', failureFields(thrown));
    return false;
  }
}
