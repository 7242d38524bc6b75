import type { Clock, Logger } from '@chandlery/platform';
import { createWorkQueue, relistPriority, runWorkers, type WorkResult } from '@chandlery/runtime';
import { type FleetRegistry, type RecordRow, removeRow } from '../../registry/fleet-registry.ts';

interface RecordDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longer waits are cut: the clock may be set meanwhile. */
const maxWaitMs = 24 * 3600 * 1000;

/** Starts the worker that removes records of deleted instances when their retention has ended. */
export function startRecordWorker({ registry, clock, logger }: RecordDeps): AsyncDisposable {
  const queue = createWorkQueue<string>({ clock });
  const add = ({ id }: RecordRow, options = {}): void => queue.add(id, options);
  const stop = registry.records.listen(({ type, row }) => {
    if (type !== 'removed') add(row);
  });
  for (const row of registry.records.all()) add(row, { priority: relistPriority });
  const workers = runWorkers({
    name: 'fleet-records',
    queue,
    work: async (id): Promise<WorkResult> => {
      const row = registry.records.get(id);
      if (row === undefined) return 'done';
      const waitMs = Date.parse(row.spec.removeAt) - clock.now().getTime();
      if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, maxWaitMs) };
      await registry.commit([removeRow('records', row)]);
      return 'done';
    },
    onFailure: ({ key, error }) => logger.warn('a record could not be removed', { record: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}
