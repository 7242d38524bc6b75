import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import type { ClusterSource } from '../../ports.ts';

/** What the steps over clusters need from the world. */
export interface ClusterDeps {
  /** Undefined when it is gone. */
  profileOf(cluster: Cluster): ClusterProfile | undefined;
  /** Undefined when there is no such source. */
  sourceOf(cluster: Cluster): ClusterSource | undefined;
  /** All there are, sorted. */
  readonly sourceNames: readonly string[];
}
