import type { AtomicClient } from '@chandlery/client';
import { type Clock, KeyedMutex, silentLogger, systemClock } from '@chandlery/platform';
import { startTestPlane, tempFolder } from '@chandlery/testing';
import type { ActionDeps } from './actions/action-deps.ts';
import { createOrdersActions, type OrdersActions } from './actions/orders-actions.ts';
import { TenantBudget } from './actions/tenant-budget.ts';
import { FileBlobStore } from './adapters/blobs/file-blob-store.ts';
import { UploadFolder } from './adapters/blobs/upload-folder.ts';
import { ordersKinds } from './kinds/index.ts';
import { defaultSettings, type OrdersSettings } from './model/tenant-limits.ts';
import { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';
import { TenantUsage } from './registry/tenant-usage.ts';

/** Records, bytes and use cases on a plane of their own, without REST and controllers. */
export interface TestOrders extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly registry: OrdersRegistry;
  readonly deps: ActionDeps;
  readonly actions: OrdersActions;
}

export interface TestOrdersOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Those given replace single defaults. */
  readonly settings?: Partial<OrdersSettings>;
}

/** Starts one: `await using orders = await startTestOrders()`. */
export async function startTestOrders({
  clock = systemClock,
  settings = {},
}: TestOrdersOptions = {}): Promise<TestOrders> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(ordersKinds).map(({ declaration }) => declaration);
  const { client } = stack.use(await startTestPlane({ clock, kinds }));
  const registry = stack.use(createOrdersRegistry({ client, clock }));
  await registry.synced;
  const folder = stack.use(await tempFolder());
  const usage = stack.use(new TenantUsage(registry));
  const chosen = { ...defaultSettings, ...settings };
  const deps: ActionDeps = {
    registry,
    usage,
    budget: new TenantBudget(usage, chosen),
    blobs: new FileBlobStore(folder.path),
    uploads: new UploadFolder(folder.join('uploads')),
    blobLocks: new KeyedMutex(),
    recordLocks: new KeyedMutex(),
    settings: chosen,
    clock,
    logger: silentLogger,
  };
  const actions = createOrdersActions(deps, { verifyService: async () => undefined });
  const all = stack.move();
  return { client, registry, deps, actions, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
