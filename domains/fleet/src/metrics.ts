import type { Clock, MetricsRegistry } from '@chandlery/platform';
import { clusterStates, instanceStates } from './kinds/index.ts';
import { clusterScope, clusterTypeScope } from './model/scopes.ts';
import type { ClusterObserver, WorkerObserver } from './ports.ts';
import { type ClusterRow, type FleetRegistry, indexTerm } from './registry/fleet-registry.ts';

const prefix = 'fleet_manager_';
/** Clusters beyond this number have no series of their own, so that the number of series stays bounded. */
const maxClusters = 1000;
/** A local cluster takes seconds, one of a cloud provider an hour. */
const clusterJobBuckets = [1, 10, 30, 60, 300, 900, 1800, 2700, 3600, 4500, 5400, 7200, 9000, 10_800];
const jobBuckets = [1, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 900, 1200, 1800, 2700, 3600, 7200];

/** What metrics are computed from. */
export interface FleetMetricsDeps {
  readonly metrics: MetricsRegistry;
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  /** Whether this process runs the workers. */
  readonly isLeading: () => boolean;
}

/**
 * Adds the metrics of the fleet manager. What tables and the ledger know is read at scrape time, from counts that are
 * kept by change; no series names an instance. Returns who is notified of the rest.
 */
export function addFleetMetrics({
  metrics,
  registry,
  clock,
  isLeading,
}: FleetMetricsDeps): WorkerObserver & ClusterObserver {
  addInstanceGauges(metrics, registry);
  addClusterGauges(metrics, { registry, clock });
  const leader = metrics.gauge({
    name: `${prefix}leader_worker`,
    help: 'Whether this process runs a worker.',
    labels: ['worker_type'],
  });
  const seen = new Set<string>();
  metrics.collect(() => {
    for (const worker_type of seen) leader.with({ worker_type }).set(isLeading() ? 1 : 0);
  });
  const observer = addWorkerMetrics(metrics);
  return {
    ...observer,
    ...addClusterMetrics(metrics),
    reconciled: (worker, seconds, isSuccess) => {
      seen.add(worker);
      observer.reconciled(worker, seconds, isSuccess);
    },
  };
}

function addInstanceGauges(metrics: MetricsRegistry, { ledger, products }: FleetRegistry): void {
  const counts = metrics.gauge({
    name: `${prefix}dinosaur_requests_status_count`,
    help: 'Instances by state.',
    labels: ['product', 'status'],
  });
  metrics.collect(() => {
    counts.clear();
    for (const { id: product } of products.all()) {
      const byState = ledger.countsByState(product);
      for (const status of instanceStates) counts.with({ product, status }).set(byState.get(status) ?? 0);
    }
  });
}

function addClusterGauges(
  metrics: MetricsRegistry,
  { registry, clock }: Pick<FleetMetricsDeps, 'registry' | 'clock'>,
): void {
  const gauge = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    metrics.gauge({ name: `${prefix}${name}`, help, labels });
  const states = gauge('cluster_status_count', 'Clusters by state.', ['product', 'status']);
  const since = gauge('cluster_status_since_created_in_seconds', 'Age of a cluster, by its state.', [
    'product',
    'cluster_id',
    'status',
  ]);
  const instances = gauge('dinosaur_per_cluster_count', 'Instances on a cluster.', ['product', 'cluster_id']);
  const capacityLabels = ['product', 'region', 'instance_type', 'cluster_id'] as const;
  const max = gauge(
    'cluster_status_capacity_max',
    'Units that fit on a cluster; absent where there is no limit.',
    capacityLabels,
  );
  const used = gauge('cluster_status_capacity_used', 'Units in use on a cluster.', capacityLabels);
  metrics.collect(() => {
    for (const family of [states, since, instances, max, used]) family.clear();
    const byState = new Map<string, number>();
    let index = 0;
    for (const row of registry.clusters.all()) {
      const { product, clusterId: cluster_id, region } = row.spec;
      const status = row.status.state ?? 'cluster_accepted';
      byState.set(`${product}/${status}`, (byState.get(`${product}/${status}`) ?? 0) + 1);
      if (index++ >= maxClusters) continue;
      since.with({ product, cluster_id, status }).set((clock.now().getTime() - Date.parse(row.createdAt)) / 1000);
      instances.with({ product, cluster_id }).set(registry.instances.count('cluster', indexTerm(product, cluster_id)));
      for (const { instance_type, limit, units } of capacities(registry, row)) {
        const labels = { product, region, instance_type, cluster_id };
        used.with(labels).set(units);
        if (limit !== undefined) max.with(labels).set(limit);
      }
    }
    for (const { id: product } of registry.products.all())
      for (const status of clusterStates)
        states.with({ product, status }).set(byState.get(`${product}/${status}`) ?? 0);
  });
}

interface Capacity {
  readonly instance_type: string;
  readonly limit: number | undefined;
  readonly units: number;
}

function capacities({ ledger, configurations }: FleetRegistry, { spec, status }: ClusterRow): readonly Capacity[] {
  const { product, clusterId, instanceLimit } = spec;
  const types = spec.supportedInstanceTypes ?? [
    ...(configurations.get(product)?.configuration.instanceTypes.keys() ?? []),
  ];
  const reported = (status.capacity ?? {}) as Readonly<Record<string, { readonly maxUnits?: number } | undefined>>;
  const others = (type: string): number =>
    ledger.used(clusterScope(product, clusterId)) - ledger.used(clusterTypeScope(product, clusterId, type));
  return types.map(instance_type => ({
    instance_type,
    units: ledger.used(clusterTypeScope(product, clusterId, instance_type)),
    limit: reported[instance_type]?.maxUnits ?? (instanceLimit < 0 ? undefined : instanceLimit - others(instance_type)),
  }));
}

function addWorkerMetrics(metrics: MetricsRegistry): WorkerObserver {
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    metrics.counter({ name: `${prefix}${name}`, help, labels });
  const success = counter('reconciler_success_count', 'Reconciles that succeeded.', ['worker_type']);
  const failure = counter('reconciler_failure_count', 'Reconciles that failed.', ['worker_type']);
  const errors = counter('reconciler_errors_count', 'Errors of reconciles.', ['worker_type']);
  const duration = metrics.gauge({
    name: `${prefix}reconciler_duration_in_seconds`,
    help: 'How long the last reconcile took.',
    labels: ['worker_type'],
  });
  const done = counter('dinosaur_operations_success_count', 'Operations on instances that succeeded.', ['operation']);
  const total = counter('dinosaur_operations_total_count', 'Operations on instances.', ['operation']);
  const jobs = metrics.histogram({
    name: `${prefix}worker_dinosaur_duration`,
    help: 'How long it took to create or delete an instance.',
    labels: ['jobType'],
    buckets: jobBuckets,
  });
  return {
    reconciled: (worker_type, seconds, isSuccess) => {
      (isSuccess ? success : failure).with({ worker_type }).inc();
      if (!isSuccess) errors.with({ worker_type }).inc();
      duration.with({ worker_type }).set(seconds);
    },
    operation: (operation, isSuccess) => (isSuccess ? done : total).with({ operation }).inc(),
    jobDone: (jobType, seconds) => jobs.with({ jobType }).observe(seconds),
  };
}

function addClusterMetrics(metrics: MetricsRegistry): ClusterObserver {
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `${prefix}${name}`, help, labels: ['operation'] });
  const done = counter('cluster_operations_success_count', 'Operations on clusters that succeeded.');
  const total = counter('cluster_operations_total_count', 'Operations on clusters.');
  const jobs = metrics.histogram({
    name: `${prefix}worker_cluster_duration`,
    help: 'How long it took until a cluster was ready.',
    labels: ['jobType'],
    buckets: clusterJobBuckets,
  });
  return {
    clusterOperation: (operation, isSuccess) => (isSuccess ? done : total).with({ operation }).inc(),
    clusterReady: seconds => jobs.with({ jobType: 'cluster_create' }).observe(seconds),
  };
}
