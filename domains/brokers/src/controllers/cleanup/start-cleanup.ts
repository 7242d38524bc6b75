import { formatMicroTime, toError } from '@chandlery/api';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { systemTimers, type Timers } from '@chandlery/runtime';
import { smError } from '../../errors.ts';
import { failOperation, parametersRemoval } from '../../model/operations/operation-end.ts';
import {
  interruptedOperations,
  outdatedOperations,
  unpolledDeletions,
} from '../../model/operations/outdated-operations.ts';
import { type OperationRow, type Registry, type RegistryWrite, removeRow } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';

/** What the cleaning is made from. */
interface CleanupOptions {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** Operations in one commit. */
const batchSize = 500;

/**
 * Forgets ended operations after their time, now and then, and ends those whose request was cut off. The registry must be
 * synced, and only one may run at a time.
 */
export function startCleanup(options: CleanupOptions): AsyncDisposable {
  const { settings, logger, timers = systemTimers } = options;
  let running = Promise.resolve();
  let cancel = (): void => undefined;
  let isStopped = false;
  const clean = (): void => {
    running = cleanOnce(options, () => isStopped).then(
      count => void (count > 0 && logger.info('old operations were removed', { count })),
      error => logger.warn('could not remove old operations', { code: toError(error).code }),
    );
    cancel = timers.after(settings.cleanupIntervalMs, clean);
  };
  clean();
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      cancel();
      await running;
    },
  };
}

async function cleanOnce(options: CleanupOptions, isStopped: () => boolean): Promise<number> {
  const { registry, settings, clock = systemClock } = options;
  const ago = (ms: number): string => formatMicroTime(new Date(clock.now().getTime() - ms));
  const interrupted = [...interruptedOperations(registry, ago(settings.requestTimeoutMs))];
  await inBatches(registry, interrupted, { writesOf: endInterrupted, isStopped });
  const unpolled = [...unpolledDeletions(registry, ago(settings.maximumPollingMs))];
  await inBatches(registry, unpolled, { writesOf: endUnpolled, isStopped });
  const outdated = [...outdatedOperations(registry, ago(settings.operationLifespanMs))];
  await inBatches(registry, outdated, { writesOf: forget, isStopped });
  return outdated.length;
}

const endInterrupted = (operation: OperationRow): RegistryWrite[] =>
  failOperation(operation, smError('InternalError', 'the request was interrupted', { isRetryable: true }));

const endUnpolled = (operation: OperationRow): RegistryWrite[] =>
  failOperation(
    operation,
    smError('Timeout', 'the platform did not ask how the deletion ended', { isRetryable: false }),
  );

const forget = (operation: OperationRow): RegistryWrite[] => [
  removeRow('operations', operation),
  ...parametersRemoval(operation),
];

async function inBatches(
  registry: Registry,
  operations: readonly OperationRow[],
  { writesOf, isStopped }: { writesOf: (operation: OperationRow) => RegistryWrite[]; isStopped: () => boolean },
): Promise<void> {
  for (let from = 0; from < operations.length && !isStopped(); from += batchSize) {
    await registry.commit(operations.slice(from, from + batchSize).flatMap(writesOf));
  }
}
