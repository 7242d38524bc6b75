import type { Client } from '@chandlery/client';
import { type ServiceBinding, type ServiceInstance, serviceBindings, serviceInstances } from '../kinds.ts';

/** What users of the cluster have ordered by our own kinds. */
export interface OrderedServices {
  /** The instances of a broker that the broker may still have, such as `ServiceInstance shop/db`. */
  usersOf(brokerName: string): Promise<readonly string[]>;
  /**
   * Records on all instances and bindings of these brokers that the service manager has removed the platform and them with
   * it. From then on they can be deleted without a call to a broker.
   */
  abandon(brokerNames: readonly string[]): Promise<void>;
}

type Order = ServiceInstance | ServiceBinding;

/** Reads and marks the orders of a cluster. */
export const createOrderedServices = (client: Client): OrderedServices => ({
  async usersOf(brokerName) {
    const users: string[] = [];
    for await (const { metadata, status } of client.listAll<ServiceInstance>(serviceInstances.ref))
      if (status?.broker === brokerName && status.platformRemoved !== true)
        users.push(`ServiceInstance ${metadata.namespace}/${metadata.name}`);
    return users;
  },
  async abandon(brokerNames) {
    const names = new Set(brokerNames);
    for (const { ref } of [serviceInstances, serviceBindings])
      for await (const order of client.listAll<Order>(ref))
        if (names.has(order.status?.broker ?? '') && order.status?.platformRemoved !== true)
          await markAbandoned(client, ref, order);
  },
});

type OrderRef = typeof serviceInstances.ref | typeof serviceBindings.ref;

async function markAbandoned(client: Client, ref: OrderRef, { metadata }: Order): Promise<void> {
  const { namespace, name = '' } = metadata;
  const body = { status: { platformRemoved: true } };
  await client.patch({ ...ref, namespace, name, subresource: 'status' }, { type: 'merge', body });
}
