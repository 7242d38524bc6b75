import type { Counter, Family, MetricsRegistry } from '@chandlery/platform';

/** What the server counts besides what its streams do. */
export interface ServerMetrics {
  readonly rejectedCalls: Family<Counter, 'code'>;
  readonly loadReports: Family<Counter, 'outcome'>;
}

/** Registers the metrics; `countConnections` is asked whenever they are read. */
export function createServerMetrics(registry: MetricsRegistry, countConnections: () => number): ServerMetrics {
  const connections = registry.gauge({
    name: 'chandlery_mesh_connections',
    help: 'Connections of proxies and other clients of the discovery server.',
  });
  registry.collect(() => connections.with({}).set(countConnections()));
  return {
    rejectedCalls: registry.counter({
      name: 'chandlery_mesh_refused_calls_total',
      help: 'Calls to the discovery server that were refused or ended, by status.',
      labels: ['code'],
    }),
    loadReports: registry.counter({
      name: 'chandlery_mesh_load_reports_total',
      help: 'Load reports of clusters that proxies sent; ignored are those beyond what is kept.',
      labels: ['outcome'],
    }),
  };
}
