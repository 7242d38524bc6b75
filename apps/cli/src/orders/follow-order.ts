import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Output } from '../command.ts';
import { limitWait } from '../landscape/limit-wait.ts';
import { reportProgress } from '../output/progress.ts';
import { hasEnded, type OrderRecord } from './orders.ts';
import type { OrdersClient } from './orders-client.ts';

/** The REST API of orders has no watch. */
const pollMs = 300;

export interface FollowOrderOptions {
  readonly timeoutMs: number;
  /** Where statuses are reported as they change. */
  readonly progress: Output;
}

/** Waits until an order has ended. Rejects with `Timeout` and `Interrupted`. */
export async function untilEnded(
  client: OrdersClient,
  order: OrderRecord,
  { timeoutMs, progress }: FollowOrderOptions,
): Promise<OrderRecord> {
  using limit = limitWait(timeoutMs);
  using report = reportProgress(progress);
  let last = order;
  try {
    for (;;) {
      report(last.status, last['error-message'] ?? '');
      if (hasEnded(last)) return last;
      await sleep(pollMs, undefined, { signal: limit.signal });
      last = await client.ask<OrderRecord>(['orders', order.id]);
    }
  } catch (thrown) {
    const next = `"npx chandlery order describe ${last.id}" says how far it is`;
    throw limit.explain(thrown, { state: `its status is ${last.status}`, next });
  }
}

/** Throws `OrderFailed` unless an order has succeeded. */
export function assertSucceeded(order: OrderRecord): void {
  if (order.status === 'succeeded') return;
  const message = order['error-message'] ?? '';
  throw new ChandleryError('OrderFailed', `it has ended as ${order.status}${message === '' ? '' : `: ${message}`}`, {
    hint: `"npx chandlery order logs ${order.id}" shows what it printed; "npx chandlery order retry ${order.id}" starts it again from its failures.`,
  });
}
