/**
 * Services of any execution model: their descriptions, orders of them, artifacts, queues and aspects.
 *
 * - `createOrdersRegistry`: all records in memory, and the one way to change them.
 */
export { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';
