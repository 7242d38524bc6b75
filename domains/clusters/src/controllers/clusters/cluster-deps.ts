import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import type { ClusterSource } from '../../ports.ts';

/** The dependencies of the steps over clusters. */
export interface ClusterDeps {
  /** Undefined when it is deleted. */
  profileOf(cluster: Cluster): ClusterProfile | undefined;
  /** Undefined when there is no such source. */
  sourceOf(cluster: Cluster): ClusterSource | undefined;
  /** The names of all sources, sorted. */
  readonly sourceNames: readonly string[];
}
