import type { OrdersActions } from '../../actions/orders-actions.ts';
import type { ModelRegistry } from '../../models/index.ts';
import type { TenantUsage } from '../../registry/tenant-usage.ts';
import type { HistoryDeps } from './find-record.ts';

/** Knows which services have processes. */
export type HostingModels = Pick<ModelRegistry, 'hostingOf'>;

/** What handlers work on. */
export interface HandlerDeps extends HistoryDeps {
  readonly actions: OrdersActions;
  readonly usage: TenantUsage;
  readonly models: HostingModels;
}
