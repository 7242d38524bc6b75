import type { OrderDeps } from '../../../actions/orders/order-deps.ts';
import type { LogDeps } from '../../../actions/orders/order-log.ts';
import type { ReadContainerUsage } from '../../../order-ports.ts';
import type { HandlerDeps } from '../handler-deps.ts';

/** What handlers of orders and jobs work on. */
export interface OrderHandlerDeps extends HandlerDeps, LogDeps {
  readonly orders: OrderDeps;
  readonly readContainerUsage: ReadContainerUsage;
  readonly registry: OrderDeps['registry'];
  readonly settings: OrderDeps['settings'];
}
