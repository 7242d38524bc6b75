/**
 * Services of any execution model: their descriptions, orders of them, artifacts, queues and aspects.
 *
 * - `openOrders`: registry, use cases, REST API and controllers.
 * - `FileBlobStore`, `UploadFolder`: where bytes are kept on one machine.
 * - `createOrdersRegistry`: all records in memory, for those who put the parts together themselves.
 */

export { FileBlobStore } from './adapters/blobs/file-blob-store.ts';
export { UploadFolder } from './adapters/blobs/upload-folder.ts';
export { DataProxy } from './adapters/data-proxy/data-proxy.ts';
export { createFetchExternal } from './adapters/data-proxy/fetch-external.ts';
export type { Caller, FindCaller } from './facade/middleware/caller.ts';
export { loadModels, type ServiceModel } from './models/index.ts';
export { type Orders, type OrdersOptions, openOrders } from './open-orders.ts';
export type { ContainerRef, ReadContainerLog } from './order-ports.ts';
export { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';
