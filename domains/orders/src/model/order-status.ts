import type { OrderStatus } from '../kinds/index.ts';

/** What moves an order. */
export type OrderEvent =
  /** An engine has accepted the document. */
  | 'accepted'
  /** The first node runs; of a standing order: a run has begun. */
  | 'started'
  /** A standing order has no run at present. */
  | 'idle'
  /** The engine cannot be reached, or the document has vanished; and back. */
  | 'lost'
  /** The service has ended well, or failed; the platform has failed. */
  | 'succeeded'
  | 'failed'
  | 'errored'
  /** A cancel was asked for; the order has ended because of it. */
  | 'cancel'
  | 'cancelled'
  /** A failed order is started again. */
  | 'retry';

type Moves = Readonly<Partial<Record<OrderEvent, OrderStatus>>>;

const endings = { succeeded: 'succeeded', failed: 'failed', errored: 'error' } as const;
const running = { ...endings, lost: 'unknown', cancel: 'cancelling' } as const;

/**
 * The life of an order: where an event leads from each status. What is not listed changes nothing.
 *
 * Ends are final, but for a retry of an order that did not succeed. An order that succeeds although it is being
 * cancelled has succeeded. An order that no engine has is cancelled at once.
 */
const transitions: Readonly<Record<OrderStatus, Moves>> = {
  pending: { accepted: 'scheduled', started: 'executing', ...endings, cancel: 'cancelled' },
  scheduled: { started: 'executing', ...running },
  executing: { idle: 'scheduled', ...running },
  unknown: { accepted: 'scheduled', started: 'executing', ...endings, cancel: 'cancelling' },
  cancelling: { ...endings, failed: 'cancelled', cancelled: 'cancelled' },
  succeeded: {},
  failed: { retry: 'executing' },
  error: { retry: 'executing' },
  cancelled: { retry: 'executing' },
};

/** Returns where an event leads; undefined when the order does not move. */
export const nextOrderStatus = (status: OrderStatus, event: OrderEvent): OrderStatus | undefined =>
  transitions[status][event];

/** Whether an order has ended. */
export const isEnded = (status: OrderStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'error' || status === 'cancelled';

/** The times that a move sets: `started-at` at the first run, `finished-at` once at the end. A retry clears the end. */
export function timesOfMove(
  to: OrderStatus,
  now: string,
  { startedAt, finishedAt }: { readonly startedAt?: string | undefined; readonly finishedAt?: string | undefined },
): { readonly startedAt?: string; readonly finishedAt?: string } {
  const started = startedAt ?? (to === 'executing' ? now : undefined);
  const finished = isEnded(to) ? (finishedAt ?? now) : undefined;
  return {
    ...(started === undefined ? {} : { startedAt: started }),
    ...(finished === undefined ? {} : { finishedAt: finished }),
  };
}
