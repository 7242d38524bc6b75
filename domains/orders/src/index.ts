/**
 * Services of any execution model: their descriptions, orders of them, artifacts, queues and aspects.
 *
 * - `openOrders`: registry, use cases, REST API and controllers.
 * - `FileBlobStore`, `PostgresBlobStore`, `S3BlobStore`: where complete bytes are kept; `UploadFolder`: where those of unfinished uploads are;
 *   `FileSiteStore`: where archives of sites are unpacked.
 * - `openWorkflows`: Argo's kinds on the platform cluster, and the controller that executes them.
 * - `createOrdersRegistry` and the rows of its tables: for those who put the parts together themselves.
 */

export { FileBlobStore } from './adapters/blobs/file-blob-store.ts';
export { moveBlobs } from './adapters/blobs/move-blobs.ts';
export { PostgresBlobStore } from './adapters/blobs/postgres-blob-store.ts';
export { S3BlobStore } from './adapters/blobs/s3-blob-store.ts';
export { UploadFolder } from './adapters/blobs/upload-folder.ts';
export { DataProxy } from './adapters/data-proxy/data-proxy.ts';
export { createFetchExternal } from './adapters/data-proxy/fetch-external.ts';
export { FileSiteStore } from './adapters/sites/file-site-store.ts';
export { problemsOf } from './controllers/workflows/problems-of.ts';
export type { Caller, FindCaller } from './facade/middleware/caller.ts';
export { StatusJoin } from './model/workflows/join-workflow.ts';
export { loadModels, type ServiceModel } from './models/index.ts';
export { type Orders, type OrdersOptions, openOrders } from './open-orders.ts';
export { openWorkflows, type Workflows } from './open-workflows.ts';
export type { ContainerRef, ReadContainerLog, ReadContainerUsage } from './order-ports.ts';
export type { BlobStore } from './ports.ts';
export { readOrdersSettings } from './read-settings.ts';
export {
  type CollectionRow,
  checkRow,
  createOrdersRegistry,
  type HistoryRow,
  type JobRow,
  type OrderRow,
  type OrdersRegistry,
} from './registry/orders-registry.ts';
