import type { HttpMetrics } from '@chandlery/http';
import { type Damage, damageKinds } from '@chandlery/kernel';
import type { MetricsRegistry } from '@chandlery/platform';

/** Counts requests in a registry, and shows the process and its open streams with them. */
export function httpMetrics(registry: MetricsRegistry, openStreams: () => number): HttpMetrics {
  const requests = registry.counter({
    name: 'chandlery_http_requests_total',
    help: 'Requests answered.',
    labels: ['method', 'route', 'code'],
  });
  const seconds = registry.histogram({
    name: 'chandlery_http_request_seconds',
    help: 'Time to answer requests, without streams.',
    labels: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const memory = registry.gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process.' });
  const streams = registry.gauge({ name: 'chandlery_http_open_streams', help: 'Watches and other long answers.' });
  return {
    requestCompleted({ method, routeClass, code, seconds: took, isStream }) {
      requests.with({ method, route: routeClass, code: String(code) }).inc();
      if (!isStream) seconds.with({ method, route: routeClass }).observe(took);
    },
    render() {
      memory.with({}).set(process.memoryUsage.rss());
      streams.with({}).set(openStreams());
      return registry.render();
    },
  };
}

/** Shows what is known to be wrong with the stored data. */
export function storeMetrics(registry: MetricsRegistry, store: { readonly damage: readonly Damage[] }): void {
  const damage = registry.gauge({
    name: 'chandlery_store_damage',
    help: 'Things known to be wrong with the stored data.',
    labels: ['kind'],
  });
  registry.collect(() => {
    damage.clear();
    for (const kind of damageKinds) damage.with({ kind }).set(store.damage.filter(each => each.kind === kind).length);
  });
}
