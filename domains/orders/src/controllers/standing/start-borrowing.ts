import { commitAnew } from '@chandlery/registry';
import type { ActionDeps } from '../../actions/action-deps.ts';
import { returnedMessage } from '../../actions/queues/borrow-messages.ts';
import { updateRow } from '../../registry/orders-registry.ts';
import { startDueWorker } from '../retention/due-worker.ts';

/** Starts the worker that returns borrowed messages whose receipts were not answered in time. */
export const startBorrowing = (deps: Pick<ActionDeps, 'registry' | 'clock' | 'logger'>): AsyncDisposable =>
  startDueWorker(
    {
      name: 'returning a message to its queue',
      table: deps.registry.queueMessages,
      dueAt: ({ status }) => (status.borrowedUntil === undefined ? undefined : Date.parse(status.borrowedUntil)),
      work: ({ id, revision }) =>
        commitAnew(deps.registry, () => {
          const row = deps.registry.queueMessages.get(id);
          if (row === undefined || row.revision !== revision) return [];
          return [updateRow({ table: 'queueMessages', row, status: returnedMessage(row) })];
        }),
    },
    deps,
  );
