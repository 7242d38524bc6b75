/**
 * The service manager: every broker on every platform, from one place.
 *
 * `openServiceManager` adds its APIs to the HTTP host; `startControllers` of what it returns moves operations on. Kinds
 * and the port for other domains are in `@chandlery/brokers/kinds`.
 */
export { openServiceManager, type ServiceManager, type ServiceManagerOptions } from './open-service-manager.ts';
export type { BrokerAudit, FindUser, UserCaller } from './ports.ts';
export { readBrokerSettings } from './read-settings.ts';
export type { BrokerSettings } from './settings.ts';
