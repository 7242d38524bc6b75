import type { Client } from '@chandlery/client';
import type { Informer } from '@chandlery/runtime';
import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import type { ReadContainerLog } from '../../order-ports.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { DeliveryPorts } from '../deliveries/delivery-deps.ts';

/** What the controller of orders works with. */
export interface OrderControllerDeps extends OrderDeps, DeliveryPorts {
  /** Of the cluster on which Workflows are. Not disposed of. */
  readonly platform: Client;
  readonly readContainerLog: ReadContainerLog;
}

/** What reconciling one order needs. */
export interface ReconcileDeps extends OrderControllerDeps {
  /** Jobs that processes of services work on. */
  readonly deliveries: Deliveries;
  /** Workflows of orders, with an index `order` over the UUIDs of their orders. */
  readonly informer: Pick<Informer, 'get' | 'byIndex'>;
  /** How many messages a standing order's run has answered since it began. */
  readonly answers: Map<string, number>;
}
