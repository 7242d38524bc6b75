import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Output } from '../command.ts';
import { progressReporter } from '../fleet/report-progress.ts';
import { hasEnded, type OrderRecord } from './orders.ts';
import type { OrdersClient } from './orders-client.ts';

/** The REST API of orders has no watch. */
const pollMs = 300;

export interface FollowOrderOptions {
  readonly timeoutMs: number;
  /** Where statuses are reported as they change. */
  readonly progress: Output;
}

/** Waits until an order has ended. Rejects with `Timeout`. */
export async function untilEnded(
  client: OrdersClient,
  order: OrderRecord,
  { timeoutMs, progress }: FollowOrderOptions,
): Promise<OrderRecord> {
  const deadline = Date.now() + timeoutMs;
  const report = progressReporter(progress);
  let last = order;
  for (;;) {
    report(last.status, last['error-message'] ?? '');
    if (hasEnded(last)) return last;
    if (Date.now() >= deadline) throw tooLong(timeoutMs, last);
    await sleep(pollMs);
    last = await client.ask<OrderRecord>(['orders', order.id]);
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

const tooLong = (timeoutMs: number, { id, status }: OrderRecord): ChandleryError =>
  new ChandleryError('Timeout', `its status is ${status} after ${timeoutMs / 1000} s`, {
    hint: `It continues: "npx chandlery order describe ${id}" says how far it is; --timeout waits longer.`,
  });
