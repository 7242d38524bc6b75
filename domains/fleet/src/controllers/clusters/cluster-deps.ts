import type { Clock, Logger } from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import type { AgentInstaller, ClusterProvider, ProvidedCluster } from '../../ports.ts';
import type { ClusterRow, FleetRegistry } from '../../registry/fleet-registry.ts';

/** What the cluster worker works on. */
export interface ClusterDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By `spec.providerType`. */
  readonly providers: Readonly<Record<ClusterRow['spec']['providerType'], ClusterProvider>>;
  /** Of agents on clusters that the landscape makes. */
  readonly installer: AgentInstaller;
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
}

/** A cluster as its provider sees it. */
export const providedCluster = ({ id, spec }: ClusterRow): ProvidedCluster => ({
  name: id,
  product: spec.product,
  clusterId: spec.clusterId,
  cloudProvider: spec.cloudProvider,
  region: spec.region,
  multiAz: spec.multiAz ?? false,
});
