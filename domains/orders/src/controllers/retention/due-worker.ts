import type { Clock, Logger } from '@chandlery/platform';
import type { Table } from '@chandlery/registry';
import { createWorkQueue, relistPriority, runWorkers, type WorkResult } from '@chandlery/runtime';

/** What is done with the rows of a table at a time of their own. */
export interface DueWork<R extends { readonly id: string }> {
  /** For the log. */
  readonly name: string;
  readonly table: Pick<Table<R>, 'get' | 'all' | 'listen'>;
  /** When a row is due; undefined: never. */
  readonly dueAt: (row: R) => number | undefined;
  readonly work: (row: R) => Promise<void>;
}

/** Longer waits are cut: the clock may be set meanwhile. */
const maxWaitMs = 24 * 3_600_000;

/** Starts a worker that does the work of each row when it is due, woken by changes and due times. */
export function startDueWorker<R extends { readonly id: string }>(
  { name, table, dueAt, work }: DueWork<R>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): AsyncDisposable {
  const queue = createWorkQueue<string>({ clock });
  const add = (row: R, options = {}): void => {
    if (dueAt(row) !== undefined) queue.add(row.id, options);
  };
  const stop = table.listen(({ type, row }) => {
    if (type !== 'removed') add(row);
  });
  for (const row of table.all()) add(row, { priority: relistPriority });
  const workers = runWorkers({
    name: `orders-${name.replaceAll(' ', '-')}`,
    queue,
    work: async (id): Promise<WorkResult> => {
      const row = table.get(id);
      const due = row && dueAt(row);
      if (row === undefined || due === undefined) return 'done';
      const waitMs = due - clock.now().getTime();
      if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, maxWaitMs) };
      await work(row);
      return 'done';
    },
    onFailure: ({ key, error }) =>
      logger.warn(`${name} failed, will be tried again`, { record: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}
