import type { Clock } from '@chandlery/platform';
import type { MetricsRecorder, MetricsSource } from '../../ports.ts';
import type { ConfiguredProduct, FleetRegistry } from '../../registry/fleet-registry.ts';
import { EmbeddedMetrics } from './embedded-metrics.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

/** Chooses the metrics of a product's instances by its present configuration. */
export class ProductMetrics implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #embedded: EmbeddedMetrics;
  /** By address; as many as products name. */
  readonly #prometheus = new Map<string, PrometheusMetrics>();
  readonly #stop: () => void;

  constructor({ registry, clock }: { readonly registry: Pick<FleetRegistry, 'instances'>; readonly clock: Clock }) {
    this.#clock = clock;
    this.#embedded = new EmbeddedMetrics({ clock });
    this.#stop = registry.instances.listen(({ type, row }) => {
      if (type === 'removed') this.#embedded.forget(row.id);
    });
  }

  /** Where metrics of the product's instances are read. */
  readonly sourceOf = ({ configuration }: Pick<ConfiguredProduct, 'configuration'>): MetricsSource => {
    const { metrics } = configuration;
    return metrics.type === 'embedded' ? this.#embedded : this.#prometheusAt(metrics.url);
  };

  /** Where samples of agents go; undefined: the product's metrics come from elsewhere. */
  readonly recorderOf = ({
    configuration,
  }: Pick<ConfiguredProduct, 'configuration'>): Pick<MetricsRecorder, 'record'> | undefined =>
    configuration.metrics.type === 'embedded' ? this.#embedded : undefined;

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all([...this.#prometheus.values()].map(source => source[Symbol.asyncDispose]()));
  }

  #prometheusAt(url: string): PrometheusMetrics {
    const known = this.#prometheus.get(url);
    if (known !== undefined) return known;
    const opened = new PrometheusMetrics({ url, clock: this.#clock });
    this.#prometheus.set(url, opened);
    return opened;
  }
}
