import type { Counter, Family, Gauge, Histogram, MetricsRegistry } from '@chandlery/platform';
import { type ResourceType, resourceTypes } from './model/resource.ts';
import type { StreamMode } from './xds/messages.ts';

/** Metrics of one resource type. */
export interface TypeMetrics {
  readonly pushes: Counter;
  readonly nacks: Counter;
  readonly expiredNonces: Counter;
  readonly changeToAck: Histogram;
}

export interface XdsMetrics {
  readonly streams: Readonly<Record<StreamMode, Gauge>>;
  readonly types: Readonly<Record<ResourceType, TypeMetrics>>;
  readonly unknownTypes: Counter;
  readonly stalled: Counter;
}

const ackBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Registers the metrics of discovery. To be called once for a metrics registry. */
export function createXdsMetrics(registry: MetricsRegistry): XdsMetrics {
  const streams = registry.gauge({
    name: 'chandlery_mesh_streams',
    help: 'Open discovery streams.',
    labels: ['mode'],
  });
  const types = typeMetrics(registry);
  return {
    streams: { sotw: streams.with({ mode: 'sotw' }), delta: streams.with({ mode: 'delta' }) },
    types,
    unknownTypes: registry
      .counter({ name: 'chandlery_mesh_unknown_type_requests_total', help: 'Requests for unknown resource types.' })
      .with({}),
    stalled: registry
      .counter({
        name: 'chandlery_mesh_stalled_streams_total',
        help: 'Streams that were ended because the client did not read.',
      })
      .with({}),
  };
}

function typeMetrics(registry: MetricsRegistry): Record<ResourceType, TypeMetrics> {
  const labels = ['type'] as const;
  const pushes = registry.counter({ name: 'chandlery_mesh_pushes_total', help: 'Responses sent.', labels });
  const nacks = registry.counter({
    name: 'chandlery_mesh_nacks_total',
    help: 'Responses that clients rejected (NACK).',
    labels,
  });
  const expiredNonces = registry.counter({
    name: 'chandlery_mesh_expired_nonces_total',
    help: 'Requests with the nonce of an older response.',
    labels,
  });
  const changeToAck = registry.histogram({
    name: 'chandlery_mesh_change_to_ack_seconds',
    help: 'Time from a change until a client has acknowledged it.',
    labels,
    buckets: ackBuckets,
  });
  const metricsOf = (type: ResourceType): TypeMetrics => ({
    pushes: pushes.with({ type }),
    nacks: nacks.with({ type }),
    expiredNonces: expiredNonces.with({ type }),
    changeToAck: changeToAck.with({ type }),
  });
  return Object.fromEntries(resourceTypes.map(type => [type, metricsOf(type)])) as Record<ResourceType, TypeMetrics>;
}

/** Metrics of the server, besides those of its streams. */
export interface ServerMetrics {
  readonly rejectedCalls: Family<Counter, 'code'>;
  readonly loadReports: Family<Counter, 'outcome'>;
}

/** Registers the metrics; `countConnections` is called at each scrape. */
export function createServerMetrics(registry: MetricsRegistry, countConnections: () => number): ServerMetrics {
  const connections = registry.gauge({
    name: 'chandlery_mesh_connections',
    help: 'Connections of proxies and other clients of the discovery server.',
  });
  registry.collect(() => connections.with({}).set(countConnections()));
  return {
    rejectedCalls: registry.counter({
      name: 'chandlery_mesh_refused_calls_total',
      help: 'Calls to the discovery server that were rejected or ended, by status.',
      labels: ['code'],
    }),
    loadReports: registry.counter({
      name: 'chandlery_mesh_load_reports_total',
      help: 'Load reports of proxies; ignored are those beyond the limit.',
      labels: ['outcome'],
    }),
  };
}

/** What is counted of clouds. */
export interface CloudMetrics {
  readonly onRequest: (cloud: string, status: number | undefined) => void;
  readonly onEvents: (cloud: string, outcome: 'change' | 'dropped', count: number) => void;
}

/** Registers the metrics of clouds. To be called once for a metrics registry. */
export function createCloudMetrics(registry: MetricsRegistry): CloudMetrics {
  const requests = registry.counter({
    name: 'chandlery_mesh_cloud_requests_total',
    help: 'Requests to the APIs of clouds, by the status of the response.',
    labels: ['cloud', 'status'],
  });
  const events = registry.counter({
    name: 'chandlery_mesh_cloud_events_total',
    help: 'Messages of queues of events: changes of machines, and dropped ones.',
    labels: ['cloud', 'outcome'],
  });
  return {
    onRequest: (cloud, status) =>
      requests.with({ cloud, status: status === undefined ? 'none' : String(status) }).inc(),
    onEvents: (cloud, outcome, count) => events.with({ cloud, outcome }).inc(count),
  };
}
