import type { HttpMetrics } from '@chandlery/http';
import { damageKinds, type Kernel, type StoreObserver } from '@chandlery/kernel';
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
  const ended = registry.counter({
    name: 'chandlery_http_streams_ended_total',
    help: 'Watches and other long answers that have ended, by who ended them.',
    labels: ['reason'],
  });
  return {
    requestCompleted({ method, routeClass, code, seconds: took, isStream }) {
      requests.with({ method, route: routeClass, code: String(code) }).inc();
      if (!isStream) seconds.with({ method, route: routeClass }).observe(took);
    },
    streamEnded(reason) {
      ended.with({ reason }).inc();
    },
    render() {
      memory.with({}).set(process.memoryUsage.rss());
      streams.with({}).set(openStreams());
      return registry.render();
    },
  };
}

/** Measures commits. */
export function storeObserver(registry: MetricsRegistry): StoreObserver {
  const commits = registry.counter({
    name: 'chandlery_store_commits_total',
    help: 'Commits by how they ended.',
    labels: ['outcome'],
  });
  const seconds = registry
    .histogram({ name: 'chandlery_store_commit_seconds', help: 'Time from a commit to its durability.' })
    .with({});
  const groups = registry
    .histogram({
      name: 'chandlery_store_group_commits',
      help: 'Commits that became durable together.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    })
    .with({});
  const writes = registry
    .counter({ name: 'chandlery_store_writes_total', help: 'Objects written and deleted by commits.' })
    .with({});
  const bytes = registry
    .counter({ name: 'chandlery_store_written_bytes_total', help: 'Bytes of objects in commits.' })
    .with({});
  return {
    commitEnded(outcome, took) {
      commits.with({ outcome }).inc();
      if (outcome === 'committed') seconds.observe(took);
    },
    groupCommitted(group) {
      groups.observe(group.commits);
      writes.inc(group.writes);
      bytes.inc(group.bytes);
    },
  };
}

/** Shows the state of the store, of the feed that follows it, and of maintenance. */
export function kernelMetrics(registry: MetricsRegistry, { store, feed, maintenance }: Kernel): void {
  const gauge = (name: string, help: string) => registry.gauge({ name: `chandlery_${name}`, help }).with({});
  const damage = registry.gauge({
    name: 'chandlery_store_damage',
    help: 'Things known to be wrong with the stored data.',
    labels: ['kind'],
  });
  const size = gauge('store_size_bytes', 'Room that the data takes where it is kept.');
  const revision = gauge('store_revision', 'Revision of the last visible write.');
  const compacted = gauge('store_compacted_revision', 'Revision up to which history is no longer kept.');
  const position = gauge('feed_position', 'Revision up to which this process has delivered changes.');
  const lag = gauge('feed_lag_revisions', 'Visible changes that this process has not delivered yet.');
  const listeners = gauge('feed_listeners', 'Watches and caches that get changes.');
  const delivered = rising(registry, 'feed_delivered_changes_total', 'Changes delivered to watches and caches.');
  const gaps = rising(registry, 'feed_gaps_total', 'Times that history was compacted before it was read.');
  const waiting = gauge('maintenance_queue_depth', 'Keys that wait for a maintenance task.');
  registry.collect(() => {
    damage.clear();
    for (const kind of damageKinds) damage.with({ kind }).set(store.damage.filter(each => each.kind === kind).length);
    const { stats } = feed;
    position.set(feed.position);
    listeners.set(stats.listeners);
    delivered(stats.delivered);
    gaps(stats.gaps);
    waiting.set(maintenance.waiting);
  });
  // What has to be asked of the store costs only its own metrics while the store does not respond.
  registry.collect(async () => {
    const current = await store.currentRevision();
    revision.set(current);
    lag.set(Math.max(0, current - feed.position));
    compacted.set(await store.compactedRevision());
    size.set(await store.sizeBytes());
  });
}

/** A counter that is brought up to a total which is counted elsewhere. */
function rising(registry: MetricsRegistry, name: string, help: string): (total: number) => void {
  const counter = registry.counter({ name: `chandlery_${name}`, help }).with({});
  let last = 0;
  return total => {
    counter.inc(total - last);
    last = total;
  };
}
