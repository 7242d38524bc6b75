import type { FleetCluster } from '../kinds/index.ts';
import type { FleetConfiguration } from './configuration/configuration.ts';
import { clusterScope, clusterTypeScope, type Demand, fits, type UnitUsage } from './scopes.ts';

/** What placement looks at in a cluster; a row of the registry has it. */
export interface PlacementCluster {
  readonly id: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly spec: FleetCluster['spec'];
  readonly status: NonNullable<FleetCluster['status']>;
}

/** What has to be placed. */
export interface PlacementRequest {
  readonly cloudProvider: string;
  readonly region: string;
  /** True: only on clusters that are spread over several zones. */
  readonly multiAz: boolean;
  readonly instanceType: string;
  readonly units: number;
  /** Clusters that reported to be full for it; they are tried last. */
  readonly excludedClusters: readonly string[];
}

/** A cluster that was not taken, and why: a sentence that continues "cluster x is passed over:". */
export interface PassedOver {
  readonly clusterId: string;
  readonly reason: string;
}

/** Where an instance goes, or why it goes nowhere. */
export type Placement<Cluster> =
  | { readonly cluster: Cluster; readonly demands: readonly Demand[]; readonly passedOver: readonly PassedOver[] }
  | { readonly cluster: undefined; readonly passedOver: readonly PassedOver[] };

/** What placement is decided by. */
export interface PlacementContext {
  readonly configuration: FleetConfiguration;
  readonly usage: UnitUsage;
  readonly now: Date;
}

/** In which clusters are tried. */
export type PlacementOrder = 'document' | 'creation';

/** Compares clusters by their place in an order. */
export const placementOrders: Readonly<Record<PlacementOrder, (a: PlacementCluster, b: PlacementCluster) => number>> = {
  document: (a, b) => rankOf(a) - rankOf(b) || byCreation(a, b),
  creation: (a, b) => byCreation(a, b),
};

/** The order of the document in mode manual, of creation otherwise. */
export const placementOrder = ({ settings }: FleetConfiguration): PlacementOrder =>
  settings.scalingType === 'manual' ? 'document' : 'creation';

/** Finds the first cluster that takes an instance. Gives a reason for each cluster before it. */
export function placeInstance<Cluster extends PlacementCluster>(
  request: PlacementRequest,
  clusters: Iterable<Cluster>,
  context: PlacementContext,
): Placement<Cluster> {
  const order = placementOrders[placementOrder(context.configuration)];
  return placeInOrder(request, [...clusters].sort(order), context);
}

/** As {@link placeInstance}, for clusters in order. Reads no more of them than it needs. */
export function placeInOrder<Cluster extends PlacementCluster>(
  request: PlacementRequest,
  clusters: Iterable<Cluster>,
  context: PlacementContext,
): Placement<Cluster> {
  const passedOver: PassedOver[] = [];
  for (const cluster of excludedLast(clusters, request)) {
    const demands = demandsOf(request, cluster, context);
    const reason = unsuitable(request, cluster, context) ?? lackOfRoom(demands, context.usage);
    if (reason === undefined) return { cluster, demands, passedOver };
    passedOver.push({ clusterId: cluster.spec.clusterId, reason });
  }
  return { cluster: undefined, passedOver };
}

/** The limits that an instance meets on a cluster. What an agent reports counts in mode auto only. */
export function demandsOf(
  { instanceType, units }: Pick<PlacementRequest, 'instanceType' | 'units'>,
  { spec, status }: Pick<PlacementCluster, 'spec' | 'status'>,
  { configuration }: Pick<PlacementContext, 'configuration'>,
): readonly Demand[] {
  const { product, clusterId, instanceLimit } = spec;
  const reported =
    configuration.settings.scalingType === 'auto' ? maxUnitsOf(status.capacity, instanceType) : undefined;
  return [
    ...(instanceLimit < 0 ? [] : [{ scope: clusterScope(product, clusterId), units, limit: instanceLimit }]),
    ...(reported === undefined
      ? []
      : [{ scope: clusterTypeScope(product, clusterId, instanceType), units, limit: reported }]),
  ];
}

function* excludedLast<Cluster extends PlacementCluster>(
  clusters: Iterable<Cluster>,
  { excludedClusters }: PlacementRequest,
): Generator<Cluster> {
  const excluded: Cluster[] = [];
  for (const cluster of clusters)
    if (excludedClusters.includes(cluster.spec.clusterId)) excluded.push(cluster);
    else yield cluster;
  yield* excluded;
}

function unsuitable(
  request: PlacementRequest,
  cluster: PlacementCluster,
  { configuration, now }: PlacementContext,
): string | undefined {
  const { spec, status } = cluster;
  if (spec.cloudProvider !== request.cloudProvider || spec.region !== request.region)
    return `it is in region ${spec.region} of ${spec.cloudProvider}, not in ${request.region} of ${request.cloudProvider}`;
  if (spec.origin === 'document' && !configuration.clusterIds.has(spec.clusterId)) return 'it is no longer configured';
  if (cluster.isDeleting) return 'it is being deleted';
  if (status.state !== 'ready') return notReady(status);
  if (status.draining) return 'it is being drained';
  if (!spec.schedulable) return 'it is not schedulable';
  if (request.multiAz && !spec.multiAz) return 'it is not spread over several zones';
  if (spec.supportedInstanceTypes?.includes(request.instanceType) === false)
    return `it does not support instance type ${request.instanceType}`;
  return isAgentSilent(status, configuration, now) ? 'its agent is silent' : undefined;
}

function notReady({ state, agentMessage }: PlacementCluster['status']): string {
  const reason = `its state is ${state ?? 'not known yet'}, not ready`;
  return agentMessage === undefined ? reason : `${reason}; its agent reports: ${agentMessage}`;
}

/** Whether the agent has spoken before and does not any more. */
export function isAgentSilent(
  { isAgentSilent: isKnown = false, lastSeenAt }: PlacementCluster['status'],
  { settings }: FleetConfiguration,
  now: Date,
): boolean {
  if (lastSeenAt === undefined) return isKnown;
  return now.getTime() - Date.parse(lastSeenAt) > settings.agentSilenceSeconds * 1000;
}

function lackOfRoom(demands: readonly Demand[], usage: UnitUsage): string | undefined {
  const lacking = demands.find(demand => !fits(demand, usage));
  if (lacking === undefined) return undefined;
  const { scope, units, limit } = lacking;
  return `it is full: ${usage.used(scope)} of ${limit} capacity units are used and ${units} more are needed`;
}

/** What an agent reported for a type; undefined: nothing that can be read. */
function maxUnitsOf(capacity: unknown, instanceType: string): number | undefined {
  const reported = (capacity as Readonly<Record<string, { readonly maxUnits?: unknown }>> | undefined)?.[instanceType];
  return typeof reported?.maxUnits === 'number' ? reported.maxUnits : undefined;
}

/** Clusters that the document does not name come after the others. */
const rankOf = ({ spec }: PlacementCluster): number => spec.order ?? 2 ** 32;

const byCreation = (a: PlacementCluster, b: PlacementCluster): number =>
  compare(a.createdAt, b.createdAt) || compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
