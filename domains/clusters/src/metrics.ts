import type { MetricsRegistry } from '@chandlery/platform';
import { addPhaseGauges, type PhaseGauges } from '@chandlery/runtime';

/** The gauges of clusters, which name no cluster and no tenant. */
export type ClusterMetrics = PhaseGauges<'clusters' | 'requests' | 'accessRequests' | 'logicalClusters'>;

/** Adds the metrics of clusters. */
export const addClusterMetrics = (registry: MetricsRegistry): ClusterMetrics =>
  addPhaseGauges(registry, {
    clusters: { name: 'chandlery_clusters', help: 'Clusters by phase.' },
    requests: { name: 'chandlery_cluster_requests', help: 'ClusterRequests by phase.' },
    accessRequests: { name: 'chandlery_access_requests', help: 'AccessRequests by phase.' },
    logicalClusters: { name: 'chandlery_logical_clusters', help: 'Logical clusters by phase.' },
  });
