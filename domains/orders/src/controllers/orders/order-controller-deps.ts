import type { ControllerMetrics } from '@chandlery/runtime';
import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import type { WorkflowWatch } from '../../order-ports.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { DeliveryPorts } from '../deliveries/delivery-deps.ts';

/** What the controller of orders works with. */
export interface OrderControllerDeps extends OrderDeps, DeliveryPorts {
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
}

/** What following the Workflow of one order needs. */
export interface ObserveDeps extends OrderDeps {
  /** Workflows of orders on all engines. */
  readonly watched: Pick<WorkflowWatch, 'get' | 'ofOrder'>;
  /** How many messages a standing order's run has answered since it began. */
  readonly answers: Map<string, number>;
}

/** What reconciling one order needs. */
export interface ReconcileDeps extends ObserveDeps, OrderControllerDeps {
  /** Jobs that processes of services work on. */
  readonly deliveries: Deliveries;
}
