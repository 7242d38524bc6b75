import type { OrdersActions } from '../../actions/orders-actions.ts';
import type { TenantUsage } from '../../registry/tenant-usage.ts';
import type { HistoryDeps } from './find-record.ts';

/** What handlers work on. */
export interface HandlerDeps extends HistoryDeps {
  readonly actions: OrdersActions;
  readonly usage: TenantUsage;
}
