import type { PlatformProfile } from '../../model/documents/plan.ts';
import type { ModelRegistry } from '../../models/index.ts';
import type { DataProxyProvisioner, WorkflowEngine } from '../../order-ports.ts';
import type { ActionDeps } from '../action-deps.ts';

/** What use cases of orders work on. */
export interface OrderDeps extends ActionDeps {
  readonly models: ModelRegistry;
  readonly workflows: WorkflowEngine;
  readonly dataProxy: DataProxyProvisioner;
  readonly profile: PlatformProfile;
}
