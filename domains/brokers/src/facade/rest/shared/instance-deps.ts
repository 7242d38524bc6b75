import type { BrokerConnections } from '../../../ports.ts';
import type { BrokerSettings } from '../../../settings.ts';
import type { HandlerDeps } from '../resource-handler.ts';
import type { StartCascade } from './start-cascade.ts';

/** What the handlers of instances and bindings are built from. */
export interface InstanceDeps extends HandlerDeps {
  readonly connections: BrokerConnections;
  readonly settings: BrokerSettings;
  readonly startCascade: StartCascade;
}
