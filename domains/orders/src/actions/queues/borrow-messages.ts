import { randomBytes } from 'node:crypto';
import { commitAnew } from '@chandlery/registry';
import { OrdersError } from '../../errors.ts';
import type { QueueMessage } from '../../kinds/index.ts';
import { urnOf } from '../../model/urns.ts';
import { type QueueMessageRow, type QueueRow, removeRow, updateRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';
import { availableMessages } from './queue-actions.ts';

type Deps = Pick<ActionDeps, 'registry' | 'recordLocks' | 'clock'>;

/** How a borrower answers: processed, processed in vain, or to be given out again. */
export type MessageAnswer = 'DoneOK' | 'DoneError' | 'Requeue';

/** How long a message may stay unanswered. */
const borrowMs = 300_000;

/** Borrows the oldest message for an order; undefined when there is none. */
export function borrowMessage(deps: Deps, { id }: QueueRow, order: string): Promise<QueueMessageRow | undefined> {
  const { registry, clock, recordLocks } = deps;
  return recordLocks.run(urnOf('queue', id), async () => {
    let borrowed: string | undefined;
    await commitAnew(registry, () => {
      const now = clock.now();
      const [row] = availableMessages(registry, id, now);
      borrowed = row?.id;
      if (row === undefined) return [];
      const status = {
        state: 'borrowed' as const,
        receipt: randomBytes(16).toString('base64url'),
        borrower: urnOf('order', order),
        borrowedUntil: new Date(now.getTime() + borrowMs).toISOString(),
        attempts: (row.status.attempts ?? 0) + 1,
      };
      return [updateRow({ table: 'queueMessages', row, status: { ...returnedMessage(row), ...status } })];
    });
    return borrowed === undefined ? undefined : registry.queueMessages.get(borrowed);
  });
}

/** Answers a borrowed message by its receipt. Throws `not-found` for one that is not valid any more. */
export async function answerMessage(
  { registry }: Deps,
  { id }: QueueRow,
  { receipt, answer }: { readonly receipt: string; readonly answer: MessageAnswer },
): Promise<void> {
  await commitAnew(registry, () => {
    const row = [...registry.queueMessages.by('queue', id)].find(({ status }) => status.receipt === receipt);
    if (row === undefined)
      throw new OrdersError('not-found', 'The receipt belongs to no message that is borrowed', {
        id: urnOf('queue', id),
      });
    if (answer !== 'Requeue') return [removeRow('queueMessages', row)];
    return [updateRow({ table: 'queueMessages', row, status: returnedMessage(row) })];
  });
}

/** The status of a message that is back in its queue. */
export function returnedMessage({ status }: QueueMessageRow): NonNullable<QueueMessage['status']> {
  const { receipt: _, borrower: __, borrowedUntil: ___, ...kept } = status;
  return { ...kept, state: 'pending' };
}
