/** Clusters of one region: an order is placed on one of them. */
export const clustersPerRegion = 10;
/** More than there is, so that orders of the bench find room too. */
const spareFactor = 100;

/** How many of what. */
export interface FleetSize {
  readonly instances: number;
  readonly perCluster: number;
}

/** The provider of all clusters, and whoever orders during the bench. */
export const provider = 'aws';
export const benchOrganisation = 'bench';

export const clusterCount = ({ instances, perCluster }: FleetSize): number => Math.ceil(instances / perCluster);
export const clusterId = (number: number): string => `cluster-${number}`;
export const organisationId = (number: number): string => `org-${number}`;
export const regionOf = (cluster: number): string => `region-${Math.floor(cluster / clustersPerRegion)}`;

/** A configuration with as many clusters and organisations as the instances need. */
export function fleetDocument(size: FleetSize): object {
  const numbers = Array.from({ length: clusterCount(size) }, (_, number) => number);
  const limit = size.perCluster * spareFactor;
  return {
    product: { id: 'dinosaurs', kind: 'Dinosaur' },
    settings: { enable_instance_limit_control: true, dataplane_cluster_scaling_type: 'manual' },
    supported_providers: [{ name: provider, default: true, regions: regionsOf(numbers) }],
    clusters: numbers.map(number => clusterOf(number, limit)),
    registered_users_per_organisation: [benchOrganisation, ...numbers.map(organisationId)].map(id => ({
      id,
      any_user: true,
      max_allowed_instances: limit,
      registered_users: [],
    })),
    dns: { type: 'none' },
    sso: { type: 'none' },
  };
}

const regionsOf = (clusters: readonly number[]): readonly object[] =>
  [...new Set(clusters.map(regionOf))].map((name, at) => ({
    name,
    default: at === 0,
    supported_instance_type: { standard: {}, eval: {} },
  }));

const clusterOf = (number: number, limit: number): object => ({
  name: clusterId(number),
  cluster_id: clusterId(number),
  cloud_provider: provider,
  region: regionOf(number),
  multi_az: true,
  schedulable: true,
  dinosaur_instance_limit: limit,
  status: 'ready',
  provider_type: 'standalone',
  cluster_dns: `${clusterId(number)}.example.com`,
  supported_instance_type: 'standard,eval',
});
