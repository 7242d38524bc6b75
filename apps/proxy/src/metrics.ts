import type { MetricsRegistry } from '@chandlery/platform';
import { createWorkQueueMetrics, type WorkQueueObserver } from '@chandlery/runtime';
import type { ProxyHealth } from './data-path/proxy-server.ts';
import type { Subject } from './model/subjects.ts';

/** The metrics of a proxy. No series names a broker or a tenant. */
export interface ProxyMetrics {
  readonly queue: WorkQueueObserver;
  /** A comparison of a subject has ended. */
  reconciled(type: Subject['type'], isSuccess: boolean, seconds: number): void;
  /** A call of a broker was passed on, or could not be. */
  forwarded(status: number, seconds: number): void;
}

/** Adds the metrics; `health` is asked when they are read. */
export function addProxyMetrics(registry: MetricsRegistry, health: () => ProxyHealth): ProxyMetrics {
  const gauge = (name: string, help: string) => registry.gauge({ name, help }).with({});
  const connected = gauge('chandlery_proxy_connected', 'Whether the stream of notifications is open.');
  const revision = gauge('chandlery_proxy_handled_revision', 'Revision of the last notification that was handled.');
  const problems = gauge('chandlery_proxy_problems', 'Brokers and plans that fail at the platform at the moment.');
  const memory = gauge('process_resident_memory_bytes', 'Memory of the process.');
  const reconciles = registry.counter({
    name: 'chandlery_proxy_reconciles_total',
    help: 'Comparisons with the platform, by what was compared and how they ended.',
    labels: ['subject', 'outcome'],
  });
  const reconcileSeconds = registry.histogram({
    name: 'chandlery_proxy_reconcile_seconds',
    help: 'Duration of comparisons with the platform.',
    labels: ['subject'],
  });
  const forwards = registry.counter({
    name: 'chandlery_proxy_forwarded_total',
    help: 'Calls of brokers that passed the proxy, by status.',
    labels: ['code'],
  });
  const forwardSeconds = registry
    .histogram({ name: 'chandlery_proxy_forward_seconds', help: 'Duration of calls that passed the proxy.' })
    .with({});
  registry.collect(() => {
    const { details } = health();
    connected.set(details['connected'] === true ? 1 : 0);
    revision.set(Number(details['handled_revision'] ?? 0));
    problems.set(Object.keys((details['problems'] as object | undefined) ?? {}).length);
    memory.set(process.memoryUsage.rss());
  });
  return {
    queue: createWorkQueueMetrics(registry)('proxy'),
    reconciled(subject, isSuccess, seconds) {
      reconciles.with({ subject, outcome: isSuccess ? 'success' : 'error' }).inc();
      reconcileSeconds.with({ subject }).observe(seconds);
    },
    forwarded(status, seconds) {
      forwards.with({ code: String(status) }).inc();
      forwardSeconds.observe(seconds);
    },
  };
}
