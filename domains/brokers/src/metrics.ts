import type { MetricsRegistry } from '@chandlery/platform';
import type { Registry } from './model/rows.ts';
import type { CallOutcome, ObserveCall, OsbCallMetrics, OsbRequestMetrics } from './ports.ts';

/** Brokers beyond this number share the series of the broker `other`, so that the number of series stays bounded. */
const maxBrokers = 200;
const otherBrokers = 'other';

/** Adds the metrics of OSB calls: count by broker and outcome, and duration by broker. */
export function addOsbMetrics(metrics: MetricsRegistry): OsbCallMetrics {
  const calls = metrics.counter({
    name: 'chandlery_osb_calls_total',
    help: 'OSB calls to registered brokers, by outcome.',
    labels: ['broker', 'outcome'],
  });
  const seconds = metrics.histogram({
    name: 'chandlery_osb_call_seconds',
    help: 'Duration of OSB calls to registered brokers, with the time in the queue.',
    labels: ['broker'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  });
  const outcomes = new Map<string, Set<CallOutcome>>();
  return {
    observerOf(name): ObserveCall {
      const broker = outcomes.has(name) || outcomes.size < maxBrokers ? name : otherBrokers;
      const seen = outcomes.get(broker) ?? new Set<CallOutcome>();
      outcomes.set(broker, seen);
      const duration = seconds.with({ broker });
      return (outcome, elapsedSeconds) => {
        // A call may end after its broker was removed.
        if (outcomes.get(broker) !== seen) return;
        seen.add(outcome);
        calls.with({ broker, outcome }).inc();
        duration.observe(elapsedSeconds);
      };
    },
    forget(broker) {
      for (const outcome of outcomes.get(broker) ?? []) calls.remove({ broker, outcome });
      seconds.remove({ broker });
      outcomes.delete(broker);
    },
  };
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Adds the metrics of OSB requests of platforms: count by operation and status, and duration by operation. */
export function addOsbRequestMetrics(metrics: MetricsRegistry): OsbRequestMetrics {
  const requests = metrics.counter({
    name: 'chandlery_osb_requests_total',
    help: 'OSB requests of platforms, by operation and status.',
    labels: ['operation', 'code'],
  });
  const seconds = metrics.histogram({
    name: 'chandlery_osb_request_seconds',
    help: 'Duration of OSB requests of platforms, with the call to the broker.',
    labels: ['operation'],
    buckets: secondsBuckets,
  });
  return (operation, status, elapsedSeconds) => {
    requests.with({ operation, code: String(status) }).inc();
    seconds.with({ operation }).observe(elapsedSeconds);
  };
}

/** Tables whose sizes are measured. */
const measured = [
  'platforms',
  'brokers',
  'offerings',
  'plans',
  'visibilities',
  'instances',
  'bindings',
  'operations',
  'notifications',
] as const;

/** What the metrics of records are computed from. */
export interface RecordMetricsDeps {
  readonly metrics: MetricsRegistry;
  readonly registry: Registry;
  /** How many proxies are connected to this process. */
  readonly countStreams: () => number;
}

/** Adds the metrics of what the service manager keeps, computed when they are read. No series names a tenant. */
export function addRecordMetrics({ metrics, registry, countStreams }: RecordMetricsDeps): void {
  const records = metrics.gauge({ name: 'chandlery_brokers_records', help: 'Records by kind.', labels: ['kind'] });
  const open = metrics.gauge({
    name: 'chandlery_brokers_open_operations',
    help: 'Operations that have not ended, by state.',
    labels: ['state'],
  });
  const streams = metrics.gauge({
    name: 'chandlery_brokers_notification_streams',
    help: 'Proxies that are connected to this process.',
  });
  metrics.collect(() => {
    for (const kind of measured) records.with({ kind }).set(registry[kind].size);
    for (const state of ['pending', 'in progress', 'mitigation'])
      open.with({ state }).set(registry.operations.count('open', state));
    streams.with({}).set(countStreams());
  });
}
