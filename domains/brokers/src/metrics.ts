import type { MetricsRegistry } from '@chandlery/platform';
import type { CallOutcome, ObserveCall, OsbCallMetrics } from './ports.ts';

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
