import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import type { HostedProcesses, JobSender } from '../../order-ports.ts';
import type { JobRow, OrderRow } from '../../registry/orders-registry.ts';
import type { Deliveries } from './deliveries.ts';

/** What the world gives for delivering jobs. */
export interface DeliveryPorts {
  readonly processes: HostedProcesses;
  readonly jobSender: JobSender;
}

/** What delivering jobs works with. */
export interface DeliveryDeps extends OrderDeps, DeliveryPorts {
  readonly deliveries: Deliveries;
}

/** A job that is to be delivered. */
export interface Delivery {
  readonly order: OrderRow;
  readonly job: JobRow;
  /** The UUID of the service. */
  readonly service: string;
}
