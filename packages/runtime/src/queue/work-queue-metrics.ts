import type { MetricsRegistry } from '@chandlery/platform';
import type { WorkQueueObserver } from './work-queue.ts';

/** From ten nanoseconds to a quarter of an hour, as client-go has them. */
const secondsBuckets = Array.from({ length: 12 }, (_, i) => 10 ** (i - 8));

/** How to ask each open queue of a name how long its keys have been worked on. */
type OpenQueues = Map<string, Set<() => readonly number[]>>;

/**
 * Registers the `workqueue_…` metrics under the names that dashboards for controller-runtime know. To be called once for
 * a registry; the function it returns makes the observer of one queue. Queues of one name, such as those of the same
 * controller on several clusters, are measured together. Rejects with `InvalidMetric` when called twice.
 */
export function createWorkQueueMetrics(registry: MetricsRegistry): (queueName: string) => WorkQueueObserver {
  const families = registerFamilies(registry);
  const open: OpenQueues = new Map();
  registry.collect(() => {
    for (const [name, queues] of open) {
      const seconds = [...queues].flatMap(activeSeconds => activeSeconds());
      families.unfinished.with(labelsOf(name)).set(seconds.reduce((sum, each) => sum + each, 0));
      families.longest.with(labelsOf(name)).set(seconds.reduce((longest, each) => Math.max(longest, each), 0));
    }
  });
  return queueName => observerOf(queueName, families, open);
}

type Families = ReturnType<typeof registerFamilies>;

const labelNames = ['name', 'controller'] as const;
const labelsOf = (name: string) => ({ name, controller: name });

function registerFamilies(registry: MetricsRegistry) {
  const labels = labelNames;
  return {
    depth: registry.gauge({ name: 'workqueue_depth', help: 'Keys that wait and are due.', labels }),
    adds: registry.counter({ name: 'workqueue_adds_total', help: 'Keys that became due.', labels }),
    retries: registry.counter({ name: 'workqueue_retries_total', help: 'Keys added after a failure.', labels }),
    queued: registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long keys waited after they were due.',
      labels,
      buckets: secondsBuckets,
    }),
    worked: registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long keys were worked on.',
      labels,
      buckets: secondsBuckets,
    }),
    unfinished: registry.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work in progress, summed over all keys.',
      labels,
    }),
    longest: registry.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How long the oldest work in progress has been going on.',
      labels,
    }),
  };
}

function observerOf(name: string, families: Families, open: OpenQueues): WorkQueueObserver {
  const labels = labelsOf(name);
  const depth = families.depth.with(labels);
  const adds = families.adds.with(labels);
  const retries = families.retries.with(labels);
  const queued = families.queued.with(labels);
  const worked = families.worked.with(labels);
  let ask = (): readonly number[] => [];
  let lastDepth = 0;
  return {
    opened(activeSeconds) {
      ask = activeSeconds;
      open.set(name, (open.get(name) ?? new Set()).add(ask));
    },
    depthChanged(now) {
      depth.inc(now - lastDepth);
      lastDepth = now;
    },
    added: () => adds.inc(),
    handedOut: seconds => queued.observe(seconds),
    done: seconds => worked.observe(seconds),
    retried: () => retries.inc(),
    closed() {
      depth.dec(lastDepth);
      const others = open.get(name);
      others?.delete(ask);
      if (others !== undefined && others.size > 0) return;
      open.delete(name);
      for (const family of Object.values(families)) family.remove(labels);
    },
  };
}
