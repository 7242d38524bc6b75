import type { MetricsRegistry } from '@chandlery/platform';
import type { TenantLimits } from './model/tenant-limits.ts';
import type { OrdersRegistry } from './registry/orders-registry.ts';
import type { TenantUsage } from './registry/tenant-usage.ts';

const prefix = 'chandlery_orders_';

/** Tables whose sizes are measured. */
const measured = [
  'services',
  'orders',
  'jobs',
  'artifacts',
  'collections',
  'queues',
  'queueMessages',
  'aspects',
  'history',
] as const;

/** What metrics are computed from. */
export interface OrdersMetricsDeps {
  readonly metrics: MetricsRegistry;
  readonly registry: OrdersRegistry;
  readonly usage: TenantUsage;
}

/** Adds the metrics of services and orders. No series names a tenant. Returns who is notified of limits that are reached. */
export function addOrdersMetrics({ metrics, registry, usage }: OrdersMetricsDeps): (limit: keyof TenantLimits) => void {
  const records = metrics.gauge({ name: `${prefix}records`, help: 'Records by kind.', labels: ['kind'] });
  const bytes = metrics.gauge({
    name: `${prefix}bytes`,
    help: 'Bytes of artifacts, artifacts of workflows, and messages.',
    labels: ['of'],
  });
  const uploads = metrics.gauge({
    name: `${prefix}unfinished_uploads`,
    help: 'Uploads that are not complete.',
    labels: [],
  });
  const exceeded = metrics.counter({
    name: `${prefix}limit_exceeded_total`,
    help: 'Requests that were rejected because of a limit of the tenant.',
    labels: ['limit'],
  });
  metrics.collect(() => {
    for (const kind of measured) records.with({ kind }).set(registry[kind].size);
    bytes.with({ of: 'artifacts' }).set(sumOf(usage.artifactBytes.entries()));
    bytes.with({ of: 'workflows' }).set(sumOf(usage.workflowBytes?.entries() ?? []));
    bytes.with({ of: 'messages' }).set(sumOf(usage.messageBytes.entries()));
    uploads.with({}).set(sumOf(usage.unfinishedUploads.entries()));
  });
  return limit => exceeded.with({ limit }).inc();
}

function sumOf(entries: Iterable<readonly [string, number]>): number {
  let sum = 0;
  for (const [, amount] of entries) sum += amount;
  return sum;
}
