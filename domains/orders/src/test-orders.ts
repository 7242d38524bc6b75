import type { AtomicClient } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { ordersKinds } from './kinds/index.ts';
import { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';

/** A registry of services and orders on a plane of its own. */
export interface TestOrders extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly registry: OrdersRegistry;
}

/** Starts one: `await using orders = await startTestOrders()`. */
export async function startTestOrders({ clock = systemClock }: { readonly clock?: Clock } = {}): Promise<TestOrders> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(ordersKinds).map(({ declaration }) => declaration);
  const { client } = stack.use(await startTestPlane({ clock, kinds }));
  const registry = stack.use(createOrdersRegistry({ client, clock }));
  await registry.synced;
  const all = stack.move();
  return { client, registry, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
