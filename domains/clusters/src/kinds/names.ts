/** Labels, annotations, finalizers and phases that controllers of clusters and their clients share. */
export const clusterNames = {
  providerLabel: 'clusters.openmcp.cloud/provider',
  profileLabel: 'clusters.openmcp.cloud/profile',
  versionLabel: 'clusters.openmcp.cloud/k8sversion',
  providerInfoAnnotation: 'clusters.openmcp.cloud/providerinfo',
  /** `"true"`: the scheduler deletes the cluster with its last request. */
  deleteWithoutRequestsLabel: 'clusters.openmcp.cloud/delete-without-requests',
  /** `"true"` on a request: its cluster gets a random name. */
  randomNameLabel: 'clusters.openmcp.cloud/randomize-cluster-name',
  /** Of a cluster's provider. */
  clusterFinalizer: 'clusters.openmcp.cloud/finalizer',
  requestFinalizer: 'clusters.openmcp.cloud/request',
  accessFinalizer: 'clusters.openmcp.cloud/clusteraccess',
  /** Followed by the request's uid, on the request's cluster. Their number is the tenancy count. */
  requestFinalizerPrefix: 'request.clusters.openmcp.cloud/',
  /** On AccessRequest: an address of the API that is reachable from this machine. */
  localAccessAnnotation: 'clusters.open-control-plane.io/local-access',
  /** On the SchedulerConfig `default`: the default purposes that were added so far, separated by commas. */
  defaultPurposesAnnotation: 'clusters.chandlery.io/default-purposes',
  externalEndpoint: 'apiserver-external',
  internalEndpoint: 'apiserver-internal',
} as const;

/** The ClusterProvider that is part of the server. */
export const builtInProviderName = 'chandlery';

/** The namespace of providers and of the landscape's own objects on the platform cluster. */
export const systemNamespace = 'openmcp-system';
