import type { Counter, Family, Gauge, Histogram, MetricsRegistry } from '@chandlery/platform';
import type { Informer } from '@chandlery/runtime';
import type { ServiceObject } from '../definition/service-kind.ts';

/** The metrics of a provider besides those of its controllers. */
export interface ProviderMetrics {
  readonly firstReady: Family<Histogram, never>;
  readonly deletion: Family<Histogram, never>;
  readonly drift: Family<Counter, 'kind'>;
  readonly driftRepair: Family<Histogram, never>;
  readonly objects: Family<Gauge, 'phase'>;
  readonly swept: Family<Counter, never>;
  readonly leftovers: Family<Gauge, never>;
}

const longBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];

/** Registers the metrics; once per registry. */
export function createProviderMetrics(registry: MetricsRegistry): ProviderMetrics {
  const seconds = (name: string, help: string): Family<Histogram, never> =>
    registry.histogram({ name: `chandlery_provider_${name}_seconds`, help, buckets: longBuckets });
  return {
    firstReady: seconds('first_time_to_readiness', 'From the creation of an object to its first readiness.'),
    deletion: seconds('deletion', 'From the deletion request of an object to its removal.'),
    drift: registry.counter({
      name: 'chandlery_provider_drift_total',
      help: 'What others had changed and was put right, by kind.',
      labels: ['kind'],
    }),
    driftRepair: seconds('drift_repair', 'From the notice of a deviation to its repair.'),
    objects: registry.gauge({
      name: 'chandlery_provider_objects',
      help: 'Service objects by phase.',
      labels: ['phase'],
    }),
    swept: registry.counter({
      name: 'chandlery_provider_swept_total',
      help: 'Services whose object had vanished and that were taken away.',
    }),
    leftovers: registry.gauge({
      name: 'chandlery_provider_leftovers',
      help: 'Services whose object was deleted without its provider and that need a decision.',
    }),
  };
}

/** Counts objects by phase when the metrics are read. */
export function countObjects(
  registry: MetricsRegistry,
  { objects }: ProviderMetrics,
  services: Pick<Informer<ServiceObject>, 'list'>,
): void {
  registry.collect(() => {
    objects.clear();
    for (const { status } of services.list()) objects.with({ phase: status?.phase ?? 'Progressing' }).inc();
  });
}
