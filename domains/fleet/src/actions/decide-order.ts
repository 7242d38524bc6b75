import { fleetError } from '../errors.ts';
import type { InstanceSize, InstanceType } from '../model/configuration/configuration.ts';
import {
  type Placement,
  type PlacementRequest,
  placeInOrder,
  placeInstance,
  placementOrder,
} from '../model/placement.ts';
import { sizeOfPlan, typeOfPlan } from '../model/plan.ts';
import { claimQuota, entitlementOf, type QuotaClaim, trialType, typeOfEntitlement } from '../model/quota.ts';
import { findLocation, type Location, regionLimits } from '../model/region.ts';
import { type Demand, fits, regionScope, type UnitUsage } from '../model/scopes.ts';
import { type ClusterRow, type ConfiguredProduct, indexTerm } from '../registry/fleet-registry.ts';
import { type ActionDeps, quotaContext } from './action-deps.ts';

/** What is ordered, and by whom. */
export interface Order {
  readonly username: string;
  readonly organisation: string;
  readonly cloudProvider: string | undefined;
  readonly region: string | undefined;
  readonly multiAz: boolean | undefined;
  readonly plan: string | undefined;
}

/** What becomes of an order. */
export interface OrderDecision {
  readonly location: Location;
  readonly type: InstanceType;
  readonly size: InstanceSize;
  readonly multiAz: boolean;
  readonly quota: QuotaClaim;
  /** Undefined in mode auto: the accepted worker finds one. */
  readonly cluster: ClusterRow | undefined;
  /** Units of limited scopes that it takes. */
  readonly demands: readonly Demand[];
}

/**
 * Decides on an order, in the order of the reference: provider (30), region (31), plan (21), type of the region (41), zones
 * (35), size (42); then capacity of the region and of a cluster (24), trials (4, 24) and quota (120, 5).
 */
export function decideOrder(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { order, usage }: { readonly order: Order; readonly usage: UnitUsage },
): OrderDecision {
  const asked = readOrder(deps, product, order);
  const regionDemands = claimRegion(product, asked, usage);
  const place = claimCluster(deps, product, { asked, usage });
  const request = { ...order, instanceType: asked.type.id, size: asked.size };
  const quota = claimQuota(request, quotaContext(deps, product, order), usage);
  return {
    ...asked,
    quota,
    cluster: place?.cluster,
    demands: [...regionDemands, ...(place?.demands ?? []), ...quota.demands],
  };
}

type AskedFor = Pick<OrderDecision, 'location' | 'type' | 'size' | 'multiAz'>;

function readOrder(deps: ActionDeps, product: ConfiguredProduct, order: Order): AskedFor {
  const location = findLocation(order, product.configuration);
  const planned =
    order.plan === undefined
      ? { type: typeByQuota(deps, product, order), sizeId: undefined }
      : typeOfPlan(order.plan, product.configuration);
  regionLimits(location, planned.type.id);
  if (order.multiAz === false) throw fleetError(35, 'multi_az must be true');
  return { location, type: planned.type, size: sizeOfPlan(planned), multiAz: planned.type.id !== trialType };
}

function typeByQuota(deps: ActionDeps, product: ConfiguredProduct, order: Order): InstanceType {
  const id = typeOfEntitlement(entitlementOf(order, quotaContext(deps, product, order)));
  const type = product.configuration.instanceTypes.get(id);
  if (type === undefined) throw fleetError(41, `instance type '${id}' is not supported`);
  return type;
}

function claimRegion(
  { row }: ConfiguredProduct,
  { location, type, size }: AskedFor,
  usage: UnitUsage,
): readonly Demand[] {
  const { limit } = regionLimits(location, type.id);
  if (limit === undefined) return [];
  const [cloudProvider, region] = [location.provider.name, location.region.name];
  const scope = regionScope(row.id, { cloudProvider, region, instanceType: type.id });
  const demand = { scope, units: size.capacityConsumed, limit };
  if (limit > 0 && fits(demand, usage)) return [demand];
  const reason = `Region ${region} of ${cloudProvider} cannot accept instance type: ${type.id} at this moment`;
  throw fleetError(24, reason, { detail: 'RegionFull' });
}

/** Chooses a cluster at once, except in mode auto. */
function claimCluster(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { asked, usage }: { readonly asked: AskedFor; readonly usage: UnitUsage },
): Extract<Placement<ClusterRow>, { demands: unknown }> | undefined {
  if (product.configuration.settings.scalingType === 'auto') return undefined;
  const { location, type, size, multiAz } = asked;
  const [cloudProvider, region] = [location.provider.name, location.region.name];
  const request = { cloudProvider, region, multiAz, instanceType: type.id, units: size.capacityConsumed };
  const placement = findCluster(deps, product, { request: { ...request, excludedClusters: [] }, usage });
  if (placement.cluster !== undefined) return placement;
  deps.logger.info('no cluster takes an instance', {
    product: product.row.id,
    region,
    passedOver: placement.passedOver,
  });
  const reason = `No cluster of region ${region} of ${cloudProvider} can accept instance type: ${type.id} at this moment`;
  throw fleetError(24, reason, { detail: 'ClusterFull' });
}

/**
 * Looks for a cluster among those of the region, full ones last: they are looked at for their reasons only, when there is
 * no other.
 */
export function findCluster(
  { registry, clock }: Pick<ActionDeps, 'registry' | 'clock'>,
  { row, configuration }: ConfiguredProduct,
  { request, usage }: { readonly request: PlacementRequest; readonly usage: UnitUsage },
): Placement<ClusterRow> {
  const region = indexTerm(row.id, request.cloudProvider, request.region);
  const context = { configuration, usage, now: clock.now() };
  const open = registry.openClusters.inRegion(region, placementOrder(configuration));
  const found = placeInOrder(request, open, context);
  return found.cluster === undefined ? placeInstance(request, registry.clusters.by('region', region), context) : found;
}
