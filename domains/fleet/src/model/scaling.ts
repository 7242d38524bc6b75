import type { FleetConfiguration, RegionLimits } from './configuration/configuration.ts';
import type { PlacementCluster } from './placement.ts';
import { clusterScope, clusterTypeScope, regionScope, type UnitUsage } from './scopes.ts';

/** What is scaled: one instance type in one region. */
export interface ScalingKey {
  readonly cloudProvider: string;
  readonly region: string;
  readonly instanceType: string;
}

/** What scaling is decided by. */
export interface ScalingContext {
  readonly configuration: FleetConfiguration;
  /** Clusters of the region, whatever their types and states. */
  readonly clusters: readonly PlacementCluster[];
  readonly usage: UnitUsage;
  /** Whether an instance waits for a cluster. */
  readonly isWaiting: boolean;
}

/** Whether a cluster is added, and why. */
export interface ScaleUp {
  readonly add: boolean;
  readonly why: string;
}

/** Whether a cluster is removed, and why. */
export interface ScaleDown {
  readonly remove: boolean;
  readonly why: string;
}

/** A provider that cannot make clusters is not asked for ever more of them. */
const maxFailed = 3;

const underConstruction: readonly (string | undefined)[] = [
  undefined,
  'cluster_accepted',
  'cluster_provisioning',
  'cluster_provisioned',
  'waiting_for_fleetshard_operator',
];

/**
 * Decides whether a region needs another cluster for a type: when no ready cluster could take the biggest size, or less
 * than the slack is free. One cluster at a time; none beyond the limit of the region. A region that has not been used yet
 * and that asks for no slack has none.
 */
export function decideScaleUp(key: ScalingKey, context: ScalingContext): ScaleUp {
  const { settings } = context.configuration;
  const limits = limitsOf(key, context.configuration);
  if (settings.scalingType !== 'auto') return no('clusters are not scaled automatically');
  if (limits === undefined) return no('the region does not offer the type');
  const clusters = clustersFor(key, context.clusters);
  if (clusters.some(({ status }) => underConstruction.includes(status.state))) return no('a cluster is being made');
  if (countFailed(key, context.clusters) >= maxFailed)
    return no('too many clusters have failed; inspect and delete them');
  if (isUsedUp(key, limits, context)) return no('the limit of the region is reached');
  if (clusters.length === 0 && !context.isWaiting && limits.slack === 0)
    return no('no instance has been requested in the region');
  if (clusters.length > 0 && !settings.enableDynamicScaleUp) return no('enable_dynamic_scale_up is off');
  return needOf(key, limits, context);
}

/**
 * Decides whether an empty cluster is removed: only one that the landscape made for scaling; when its region or type is
 * no longer configured, or when without it, and without those that are being made, no other would be needed.
 */
export function decideScaleDown(cluster: PlacementCluster, context: ScalingContext): ScaleDown {
  const { spec, status, isDeleting } = cluster;
  const { settings } = context.configuration;
  const keep = (why: string): ScaleDown => ({ remove: false, why });
  if (settings.scalingType !== 'auto' || spec.origin !== 'scaling') return keep('it was not made by scaling');
  if (status.state !== 'ready' || isDeleting) return keep('it is not ready');
  if (context.usage.used(clusterScope(spec.product, spec.clusterId)) > 0) return keep('it is not empty');
  const keys = keysOf(cluster, context.configuration);
  if (keys.length === 0) return { remove: true, why: 'its region or type is no longer configured' };
  if (!settings.enableDynamicScaleDown) return keep('enable_dynamic_scale_down is off');
  const others = context.clusters.filter(({ id, status: other }) => id !== cluster.id && other.state === 'ready');
  const needed = keys
    .map(key =>
      needOf(key, limitsOf(key, context.configuration) ?? { limit: 0, slack: 0 }, { ...context, clusters: others }),
    )
    .find(({ add }) => add);
  return needed === undefined ? { remove: true, why: 'it is not needed' } : keep(needed.why);
}

/** The keys that a cluster serves and that are configured. */
export function keysOf(
  { spec }: Pick<PlacementCluster, 'spec'>,
  { instanceTypes, ...rest }: FleetConfiguration,
): readonly ScalingKey[] {
  const { cloudProvider, region } = spec;
  return (spec.supportedInstanceTypes ?? [...instanceTypes.keys()])
    .map(instanceType => ({ cloudProvider, region, instanceType }))
    .filter(key => limitsOf(key, { instanceTypes, ...rest }) !== undefined);
}

function needOf(key: ScalingKey, limits: RegionLimits, context: ScalingContext): ScaleUp {
  const free = clustersFor(key, context.clusters)
    .filter(({ status, isDeleting, spec }) => status.state === 'ready' && !isDeleting && spec.schedulable)
    .map(cluster => freeUnits(cluster, key, context));
  const biggest = biggestSize(key, context.configuration);
  if (!free.some(units => units >= biggest))
    return { add: true, why: `no ready cluster has room for the biggest size, ${biggest} units` };
  const total = free.reduce((sum, units) => sum + units, 0);
  return limits.slack > 0 && total < limits.slack
    ? { add: true, why: `${total} units are free, and ${limits.slack} should be` }
    : no('there is enough room');
}

const countFailed = ({ instanceType }: ScalingKey, clusters: readonly PlacementCluster[]): number =>
  clusters.filter(
    ({ spec, status }) =>
      status.state === 'failed' &&
      spec.origin === 'scaling' &&
      spec.supportedInstanceTypes?.includes(instanceType) !== false,
  ).length;

const no = (why: string): ScaleUp => ({ add: false, why });

const limitsOf = (
  { cloudProvider, region, instanceType }: ScalingKey,
  { providers, instanceTypes }: FleetConfiguration,
) =>
  instanceTypes.has(instanceType)
    ? providers.get(cloudProvider)?.regions.get(region)?.instanceTypes.get(instanceType)
    : undefined;

const clustersFor = (
  { instanceType }: ScalingKey,
  clusters: readonly PlacementCluster[],
): readonly PlacementCluster[] =>
  clusters.filter(
    ({ spec, status, isDeleting }) =>
      !isDeleting &&
      !['failed', 'deprovisioning', 'cleanup'].includes(status.state ?? '') &&
      spec.supportedInstanceTypes?.includes(instanceType) !== false,
  );

function isUsedUp(
  key: ScalingKey,
  { limit }: RegionLimits,
  { configuration, usage, isWaiting }: ScalingContext,
): boolean {
  if (limit === undefined) return false;
  const used = usage.used(regionScope(configuration.product.id, key));
  // What waits for a cluster has its units of the region already.
  return used >= limit && !(isWaiting && limit > 0);
}

function freeUnits(
  { spec, status }: PlacementCluster,
  { instanceType }: ScalingKey,
  { usage }: ScalingContext,
): number {
  const { product, clusterId, instanceLimit } = spec;
  const reported = (status.capacity as Record<string, { readonly maxUnits?: unknown }> | undefined)?.[instanceType]
    ?.maxUnits;
  const byLimit =
    instanceLimit < 0 ? Number.POSITIVE_INFINITY : instanceLimit - usage.used(clusterScope(product, clusterId));
  const byReport =
    typeof reported === 'number'
      ? reported - usage.used(clusterTypeScope(product, clusterId, instanceType))
      : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(byLimit, byReport));
}

function biggestSize({ instanceType }: ScalingKey, { instanceTypes }: FleetConfiguration): number {
  const sizes = [...(instanceTypes.get(instanceType)?.sizes.values() ?? [])];
  return Math.max(0, ...sizes.map(({ capacityConsumed }) => capacityConsumed));
}
