import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import type { WorkflowWatch } from '../../order-ports.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { DeliveryPorts } from '../deliveries/delivery-deps.ts';

/** What the controller of orders works with. */
export interface OrderControllerDeps extends OrderDeps, DeliveryPorts {}

/** What reconciling one order needs. */
export interface ReconcileDeps extends OrderControllerDeps {
  /** Jobs that processes of services work on. */
  readonly deliveries: Deliveries;
  /** Workflows of orders on all engines. */
  readonly watched: Pick<WorkflowWatch, 'get' | 'ofOrder'>;
  /** How many messages a standing order's run has answered since it began. */
  readonly answers: Map<string, number>;
}
