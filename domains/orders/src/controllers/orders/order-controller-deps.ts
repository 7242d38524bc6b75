import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import type { WorkflowWatch } from '../../order-ports.ts';

/** What reconciling one order needs. */
export interface ReconcileDeps extends OrderDeps {
  /** Workflows of orders on all engines. */
  readonly watched: Pick<WorkflowWatch, 'get' | 'ofOrder'>;
  /** How many messages a standing order's run has answered since it began. */
  readonly answers: Map<string, number>;
}
