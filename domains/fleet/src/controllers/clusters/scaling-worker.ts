import { createWorkQueue, runWorkers, type WorkResult } from '@chandlery/runtime';
import { fleetClusterName } from '../../kinds/index.ts';
import { trialType } from '../../model/quota.ts';
import { decideScaleDown, decideScaleUp, keysOf, type ScalingContext, type ScalingKey } from '../../model/scaling.ts';
import {
  type ClusterRow,
  type ConfiguredProduct,
  checkRow,
  createRow,
  type FleetWrite,
  indexTerm,
  updateRow,
} from '../../registry/fleet-registry.ts';
import type { ClusterDeps } from './cluster-deps.ts';
import { type ProductScalingKey, ScalingDemand } from './scaling-demand.ts';

/** Changes come in bursts: one decision for all of them. */
const debounceMs = 20;

/** Starts the worker that adds clusters where instances would not fit, and removes those that are not needed. */
export function startScalingWorker(deps: ClusterDeps): AsyncDisposable {
  const { registry, clock, logger } = deps;
  const queue = createWorkQueue<ProductScalingKey>({ clock, backOff: { baseMs: 100, maxMs: 30_000 } });
  const add = (key: ProductScalingKey): void => {
    if (registry.configurations.get(key.product)?.configuration.settings.scalingType === 'auto')
      queue.addAfter(key, debounceMs);
  };
  const demand = new ScalingDemand();
  const stops = [
    demand.listen(registry, add),
    registry.clusters.listen(({ row }) => {
      for (const key of keysOfCluster(deps, row)) add(key);
    }),
    registry.products.listen(({ row }) => {
      for (const key of keysOfProduct(deps, row.id)) add(key);
    }),
  ];
  for (const { id } of registry.products.all()) for (const key of keysOfProduct(deps, id)) add(key);
  const workers = runWorkers({
    name: 'fleet-scaling',
    queue,
    work: key => scale(deps, key, demand.isWaiting(key)),
    onFailure: ({ key, error }) => logger.warn('clusters could not be scaled', { ...key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

async function scale(deps: ClusterDeps, key: ProductScalingKey, isWaiting: boolean): Promise<WorkResult> {
  const { registry, logger } = deps;
  const product = registry.configurations.get(key.product);
  if (product === undefined) return 'done';
  const clusters = [...registry.clusters.by('region', indexTerm(key.product, key.cloudProvider, key.region))];
  const context = { configuration: product.configuration, clusters, usage: registry.ledger, isWaiting };
  const up = decideScaleUp(key, context);
  const writes = up.add ? [newCluster(deps, product, key)] : surplusWrites(deps, clusters, context);
  if (writes.length === 0) return 'done';
  await registry.commit([...writes, checkRow('products', product.row)]);
  logger.info(up.add ? 'a cluster is added' : 'a cluster is removed', { ...key, why: up.why });
  return 'done';
}

function newCluster({ registry }: ClusterDeps, { row }: ConfiguredProduct, key: ScalingKey): FleetWrite {
  const clusterId = `c-${registry.newFleetId()}`;
  return createRow({
    table: 'clusters',
    id: fleetClusterName(row.id, clusterId),
    tenant: '',
    spec: {
      product: row.id,
      clusterId,
      cloudProvider: key.cloudProvider,
      region: key.region,
      multiAz: key.instanceType !== trialType,
      schedulable: true,
      instanceLimit: -1,
      supportedInstanceTypes: [key.instanceType],
      providerType: 'landscape',
      origin: 'scaling',
    },
    status: { state: 'cluster_accepted', stateSince: registry.now() },
  });
}

/** One at a time: the next is decided on without it. */
function surplusWrites(
  { registry }: ClusterDeps,
  clusters: readonly ClusterRow[],
  context: ScalingContext,
): readonly FleetWrite[] {
  const surplus = clusters.find(cluster => decideScaleDown(cluster, context).remove);
  if (surplus === undefined) return [];
  const status = { ...surplus.status, state: 'deprovisioning' as const, stateSince: registry.now() };
  return [updateRow({ table: 'clusters', row: surplus, status })];
}

/** A cluster whose region or type is no longer configured has keys too: it may have to go. */
function keysOfCluster({ registry }: ClusterDeps, { spec }: ClusterRow): readonly ProductScalingKey[] {
  const product = registry.configurations.get(spec.product);
  if (product === undefined) return [];
  const configured = keysOf({ spec }, product.configuration);
  const { cloudProvider, region } = spec;
  const keys = configured.length > 0 ? configured : [{ cloudProvider, region, instanceType: '' }];
  return keys.map(key => ({ product: spec.product, ...key }));
}

function keysOfProduct(deps: ClusterDeps, product: string): readonly ProductScalingKey[] {
  const configuration = deps.registry.configurations.get(product)?.configuration;
  const regions = [...(configuration?.providers.values() ?? [])].flatMap(provider =>
    [...provider.regions.values()].flatMap(region =>
      [...region.instanceTypes.keys()].map(instanceType => ({
        product,
        cloudProvider: provider.name,
        region: region.name,
        instanceType,
      })),
    ),
  );
  const existing = [...deps.registry.clusters.by('product', product)].flatMap(row => keysOfCluster(deps, row));
  return [...regions, ...existing];
}
