import type { AtomicClient } from '@chandlery/client';
import type { Clock, IdSource, Logger } from '@chandlery/platform';
import { createRegistry, type Registry, type RegistryWrite } from '@chandlery/registry';
import { ordersFinalizer, ordersManagedLabel } from '../kinds/index.ts';
import { withHistory } from './history-writes.ts';
import { type OrdersRows, ordersTables } from './orders-tables.ts';

export type { HistoricalTable } from './history-writes.ts';
export {
  type ArtifactRow,
  type AspectRow,
  type CollectionRow,
  checkRow,
  createRow,
  type HistoryRow,
  indexTerm,
  type JobRow,
  type OrderRow,
  type OrdersRows,
  type QueueMessageRow,
  type QueueRow,
  removeRow,
  type SecretRow,
  type ServiceRow,
  updateRow,
} from './orders-tables.ts';
export { recordAt, recordsAt, type Version } from './read-history.ts';

/** One part of a commit. */
export type OrdersWrite = RegistryWrite<OrdersRows>;

/** All records of services and orders, and the one way to change them. Commits add the history of what they change. */
export type OrdersRegistry = Registry<typeof ordersTables>;

export interface OrdersRegistryOptions {
  /** Of the logical cluster `ordersCluster`. Not disposed of by the registry. */
  readonly client: AtomicClient;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: random. */
  readonly ids?: IdSource;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Called when a stored object is damaged, so that a table cannot be filled. Default: nothing is called. */
  readonly onDamage?: () => void;
}

/** Opens the registry, which begins to fill its tables at once. The caller disposes of it. */
export function createOrdersRegistry(options: OrdersRegistryOptions): OrdersRegistry {
  const registry: OrdersRegistry = createRegistry({
    ...options,
    tables: ordersTables,
    finalizer: ordersFinalizer,
    managedLabel: ordersManagedLabel,
    owner: 'the order dispatcher',
    sharedFields: ['service', 'status', 'mimeType', 'policy', 'schema', 'contentType', 'table', 'type', '$schema'],
    beforeCommit: writes => withHistory(writes, { newId: () => registry.newId(), now: () => registry.now() }),
  });
  return registry;
}
