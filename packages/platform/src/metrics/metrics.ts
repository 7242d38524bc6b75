import { ChandleryError } from '@chandlery/api';
import { BucketSeries, NumberSeries, type Series, SeriesFamily } from './metric-series.ts';
import { headLines } from './metric-text.ts';

/** Counts up. */
export interface Counter {
  /** Default 1. Rejects negative amounts with `InvalidMetric`. */
  inc(amount?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(value: number): void;
  inc(amount?: number): void;
  dec(amount?: number): void;
}

/** Sorts what it observes into buckets. */
export interface Histogram {
  observe(value: number): void;
}

/**
 * A metric with labels. `with` gives the series of certain label values; hold on to it where speed matters. How many
 * combinations of values there are is the caller's responsibility: each is kept until `remove`.
 */
export interface Family<Series, LabelName extends string> {
  with(labels: Readonly<Record<LabelName, string>>): Series;
  remove(labels: Readonly<Record<LabelName, string>>): void;
  /** Removes all series, as a collector does before it counts again. */
  clear(): void;
}

/** What a metric is called and what it means. */
export interface MetricOptions<LabelName extends string> {
  readonly name: string;
  readonly help: string;
  /** Default: none; the single series is then `with({})`. */
  readonly labels?: readonly LabelName[];
}

/** A metric with buckets. */
export interface HistogramOptions<LabelName extends string> extends MetricOptions<LabelName> {
  /** Upper bounds, rising. Default: from one millisecond to ten seconds, for values in seconds. */
  readonly buckets?: readonly number[];
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of a process, rendered as Prometheus text. */
export class MetricsRegistry {
  readonly #metrics = new Map<string, () => string>();
  readonly #collectors: (() => void | Promise<void>)[] = [];

  counter<L extends string = never>(options: MetricOptions<L>): Family<Counter, L> {
    return this.#add(options, 'counter', () => new NumberSeries(true));
  }

  gauge<L extends string = never>(options: MetricOptions<L>): Family<Gauge, L> {
    return this.#add(options, 'gauge', () => new NumberSeries(false));
  }

  histogram<L extends string = never>({
    buckets = secondsBuckets,
    ...options
  }: HistogramOptions<L>): Family<Histogram, L> {
    const bounds = buckets.filter(Number.isFinite);
    const isRising = bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] ?? bound));
    if (!isRising) throw invalidMetric(options.name, 'its buckets do not rise');
    if (options.labels?.some(label => (label as string) === 'le'))
      throw invalidMetric(options.name, 'the label "le" is taken');
    return this.#add(options, 'histogram', () => new BucketSeries(bounds));
  }

  /** Called before each rendering, to set what is cheaper to ask than to track. */
  collect(collector: () => void | Promise<void>): void {
    this.#collectors.push(collector);
  }

  /** All metrics, in the order of their making. A collector that fails costs only its own metrics. */
  async render(): Promise<string> {
    await Promise.allSettled(this.#collectors.map(async collector => collector()));
    return [...this.#metrics.values()].map(render => render()).join('');
  }

  #add<S extends Series, L extends string>(options: MetricOptions<L>, type: string, create: () => S): Family<S, L> {
    const { name, help, labels = [] } = options;
    if (this.#metrics.has(name)) throw invalidMetric(name, 'there is one of this name already');
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw invalidMetric(name, 'its name is not allowed');
    const wrong = labels.find(label => !/^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(label));
    if (wrong !== undefined) throw invalidMetric(name, `its label "${wrong}" is not allowed`);
    const family = new SeriesFamily<S, L>(labels, create);
    this.#metrics.set(name, () => headLines(name, help, type) + family.render(name));
    return family;
  }
}

const invalidMetric = (name: string, why: string): ChandleryError =>
  new ChandleryError('InvalidMetric', `cannot register metric "${name}": ${why}`);
