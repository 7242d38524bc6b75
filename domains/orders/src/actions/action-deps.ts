import type { Clock, KeyedMutex, Logger } from '@chandlery/platform';
import type { OrdersSettings } from '../model/tenant-limits.ts';
import type { BlobStore, UploadStore } from '../ports.ts';
import type { OrdersRegistry } from '../registry/orders-registry.ts';
import type { TenantUsage } from '../registry/tenant-usage.ts';
import type { TenantBudget } from './tenant-budget.ts';

/** What use cases work on. */
export interface ActionDeps {
  readonly registry: OrdersRegistry;
  readonly usage: TenantUsage;
  readonly budget: TenantBudget;
  readonly blobs: BlobStore;
  readonly uploads: UploadStore;
  /** Held while the blob of a digest is kept or removed, together with the records that refer to it. */
  readonly blobLocks: KeyedMutex<string>;
  /** Held while a record is changed in several steps; by its URN, or another text that names it. */
  readonly recordLocks: KeyedMutex<string>;
  readonly settings: OrdersSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who asks, and for whose records. */
export interface Actor {
  readonly username: string;
  /** The tenant that gets what is created. */
  readonly tenant: string;
}
