import type { OrdersActions } from '../../actions/orders-actions.ts';
import type { ModelRegistry } from '../../models/index.ts';
import type { TenantUsage } from '../../registry/tenant-usage.ts';
import type { HistoryDeps } from './find-record.ts';

/** Knows how services are executed, and which have processes. */
export type KnownModels = Pick<ModelRegistry, 'find' | 'hostingOf'>;

/** What handlers work on. */
export interface HandlerDeps extends HistoryDeps {
  readonly actions: OrdersActions;
  readonly usage: TenantUsage;
  readonly models: KnownModels;
}
