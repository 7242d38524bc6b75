import type { TenantPorts } from '../ports.ts';
import { clusterObjects } from './cluster-objects.ts';
import { InformerKindWatch } from './kind-watch.ts';

/** The ports of the tenant controllers, over the clients that they are given. */
export const tenantPorts: TenantPorts = {
  openObjects: clusterObjects,
  watchKinds: options => new InformerKindWatch(options),
};
