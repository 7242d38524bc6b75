/**
 * Clusters: where workloads run, and who has access.
 *
 * - `startClusters`: the kinds on the platform cluster, the scheduler of ClusterRequests, the controller of Clusters with
 * its sources (logical, local, external), and the controllers of AccessRequests.
 * - `createProcessNode`, `startWorkloads`, `HostImageMap`: make a logical cluster a local one, on which pods are
 * processes of this machine. For development only.
 */
export { createProcessNode, type ProcessNodeOptions } from './adapters/process-node/process-node.ts';
export { HostImageMap } from './controllers/host-images/host-image-map.ts';
export { startWorkloads } from './controllers/workloads/start-workloads.ts';
export { type PrivatePaths, privatePaths } from './kinds/private-paths.ts';
export { addClusterMetrics, type ClusterMetrics } from './metrics.ts';
export { accessLabels } from './model/access/access-names.ts';
export type { PodLogs, PodUsage } from './pod-logs.ts';
export type { ContainerUsage, PodNode } from './ports.ts';
export { type RunningClusters, type StartClustersOptions, startClusters } from './start-clusters.ts';
