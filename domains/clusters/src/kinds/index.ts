/** The kinds of clusters: what may be imported by other domains and the SDK. */
export { type AccessRequest, accessRequests } from './access-request.ts';
export { type Cluster, clusters } from './cluster.ts';
export { type ClusterProfile, clusterProfiles } from './cluster-profile.ts';
export { type ClusterRequest, clusterRequests } from './cluster-request.ts';
export { oidcProviderSchema, permissionSchema, roleRefSchema, tokenAccessSchema } from './common.ts';
export { dynamicPortsAnnotation, reportedPorts } from './dynamic-ports.ts';
export { hash8, shorten, tenantNamespace, uuid8 } from './hashed-names.ts';
export { type HostImage, hostImages } from './host-image.ts';
export { clusterNames, systemNamespace } from './names.ts';
export {
  type DeclaredPath,
  isolationAnnotation,
  isolationByNamespaces,
  limitsCondition,
  type PrivatePath,
  type PrivatePaths,
  privatePaths,
  privatePathsAnnotation,
} from './private-paths.ts';
export { type SchedulerConfig, schedulerConfigs } from './scheduler-config.ts';
