/** Clusters of one region where the size does not say: an order is placed on one of them. */
const usualClustersPerRegion = 10;
/** More than there is, so that orders of the bench find room too. */
const amplyMany = 10_000;

/** How many of what. */
export interface FleetSize {
  readonly instances: number;
  readonly perCluster: number;
  /** Default 10. */
  readonly clustersPerRegion?: number;
  /** Capacity units of each cluster but the last of a region, which has room for the rest. Default: all have. */
  readonly clusterLimit?: number;
}

/** The provider of all clusters, and the user who orders during the bench. */
export const provider = 'aws';
export const benchOrganisation = 'bench';

export const clusterCount = ({ instances, perCluster }: FleetSize): number => Math.ceil(instances / perCluster);
export const clusterId = (number: number): string => `cluster-${number}`;
export const organisationId = (number: number): string => `org-${number}`;
export const regionOf = (cluster: number, { clustersPerRegion = usualClustersPerRegion }: FleetSize): string =>
  `region-${Math.floor(cluster / clustersPerRegion)}`;
/** Clusters of the default region, which are the first. */
export const defaultRegionSize = (size: FleetSize): number =>
  Math.min(size.clustersPerRegion ?? usualClustersPerRegion, clusterCount(size));

/** A configuration with as many clusters and organisations as the instances need. */
export function fleetDocument(size: FleetSize): object {
  const numbers = Array.from({ length: clusterCount(size) }, (_, number) => number);
  return {
    product: { id: 'dinosaurs', kind: 'Dinosaur' },
    settings: { enable_instance_limit_control: true, dataplane_cluster_scaling_type: 'manual' },
    supported_providers: [{ name: provider, default: true, regions: regionsOf(numbers, size) }],
    clusters: numbers.map(number => clusterOf(number, size)),
    registered_users_per_organisation: [benchOrganisation, ...numbers.map(organisationId)].map(id => ({
      id,
      any_user: true,
      max_allowed_instances: amplyMany,
      registered_users: [],
    })),
    dns: { type: 'none' },
    sso: { type: 'none' },
  };
}

const regionsOf = (clusters: readonly number[], size: FleetSize): readonly object[] =>
  [...new Set(clusters.map(cluster => regionOf(cluster, size)))].map((name, at) => ({
    name,
    default: at === 0,
    supported_instance_type: { standard: {}, eval: {} },
  }));

const clusterOf = (number: number, size: FleetSize): object => ({
  name: clusterId(number),
  cluster_id: clusterId(number),
  cloud_provider: provider,
  region: regionOf(number, size),
  multi_az: true,
  schedulable: true,
  dinosaur_instance_limit: isLastOfRegion(number, size) ? amplyMany : (size.clusterLimit ?? amplyMany),
  status: 'ready',
  provider_type: 'standalone',
  cluster_dns: `${clusterId(number)}.example.com`,
  supported_instance_type: 'standard,eval',
});

const isLastOfRegion = (cluster: number, size: FleetSize): boolean =>
  cluster === clusterCount(size) - 1 || regionOf(cluster, size) !== regionOf(cluster + 1, size);
