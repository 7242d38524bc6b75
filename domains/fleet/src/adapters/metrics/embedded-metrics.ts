import { type Clock, sampleLine, systemClock } from '@chandlery/platform';
import type {
  InstantSample,
  MeasuredSample,
  MetricLabels,
  MetricsQuery,
  MetricsRangeQuery,
  MetricsRecorder,
  MetricsSource,
  RangeSeries,
} from '../../ports.ts';
import { rangeSteps } from './range-steps.ts';
import { type RingLimits, SampleRing, type Scrape } from './sample-ring.ts';

/** How much is kept; each has a default. */
export interface EmbeddedMetricsOptions extends Partial<RingLimits> {
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Three hours of one scrape every 15 s; in all about 8 MB of values. */
const defaultLimits: RingLimits = { maxScrapesPerInstance: 720, maxSamplesPerScrape: 200, maxSamples: 1_000_000 };
/** A value counts for so long, as in Prometheus. */
const lookbackMs = 5 * 60_000;
/** More than the ring holds of one instance. */
const maxSteps = 1000;
const maxLabels = 32;
const maxLabelLength = 256;
const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]{0,199}$/;

/** Keeps what agents measure, in memory and within limits. Each replica has what it received since it started. */
export class EmbeddedMetrics implements MetricsSource, MetricsRecorder {
  readonly #ring: SampleRing;
  readonly #clock: Clock;

  constructor({ clock = systemClock, ...limits }: EmbeddedMetricsOptions = {}) {
    this.#clock = clock;
    this.#ring = new SampleRing({ ...defaultLimits, ...limits });
  }

  record(instanceId: string, samples: readonly MeasuredSample[]): void {
    this.#ring.add(instanceId, this.#nowMs(), samples.filter(isValid));
  }

  forget(instanceId: string): void {
    this.#ring.forget(instanceId);
  }

  async queryRange(query: MetricsRangeQuery): Promise<readonly RangeSeries[]> {
    const found = new Map<string, { metric: MetricLabels; values: { timestampMs: number; value: number }[] }>();
    for (const { timestampMs, scrape } of this.#scrapesAtSteps(query)) {
      for (const [index, { key, metric }] of scrape.series.entries()) {
        if (!isWanted(query, metric)) continue;
        const series = found.get(key) ?? { metric, values: [] };
        found.set(key, series);
        series.values.push({ timestampMs, value: scrape.values[index] ?? 0 });
      }
    }
    return [...found.values()];
  }

  async query(query: MetricsQuery): Promise<readonly InstantSample[]> {
    const newest = this.#ring.scrapesOf(query.instanceId).at(-1);
    if (newest === undefined || newest.atMs <= this.#nowMs() - lookbackMs) return [];
    const samples = newest.series.map(({ metric }, index) => ({
      metric,
      timestampMs: newest.atMs,
      value: newest.values[index] ?? 0,
    }));
    return samples.filter(({ metric }) => isWanted(query, metric));
  }

  async federate(query: MetricsQuery): Promise<string> {
    const samples = await this.query(query);
    const byName = Map.groupBy(samples, ({ metric }) => metric['__name__'] ?? '');
    return [...byName].map(([name, group]) => `# TYPE ${name} untyped\n${group.map(exposed).join('')}`).join('');
  }

  /** The newest scrape that counts at each step of the range. */
  *#scrapesAtSteps(query: MetricsRangeQuery): Generator<{ timestampMs: number; scrape: Scrape }> {
    const scrapes = this.#ring.scrapesOf(query.instanceId);
    const { startMs, endMs, stepMs } = rangeSteps(query, this.#nowMs(), maxSteps);
    let next = 0;
    for (let timestampMs = startMs; timestampMs <= endMs; timestampMs += stepMs) {
      while ((scrapes[next]?.atMs ?? Number.POSITIVE_INFINITY) <= timestampMs) next += 1;
      const scrape = scrapes[next - 1];
      if (scrape !== undefined && scrape.atMs > timestampMs - lookbackMs) yield { timestampMs, scrape };
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

const isWanted = ({ filters = [] }: MetricsQuery, metric: MetricLabels): boolean =>
  filters.length === 0 || filters.includes(metric['__name__'] ?? '');

/** What would not be valid in Prometheus' text format, or is out of proportion, is not kept. */
function isValid({ metric, value }: MeasuredSample): boolean {
  const labels = Object.entries(metric);
  if (!Number.isFinite(value) || labels.length > maxLabels || !namePattern.test(metric['__name__'] ?? '')) return false;
  return labels.every(([name, text]) => namePattern.test(name) && !name.includes(':') && text.length <= maxLabelLength);
}

function exposed({ metric, value, timestampMs }: InstantSample): string {
  const { __name__: name = '', ...labels } = metric;
  return `${sampleLine(name, labels, value).trimEnd()} ${timestampMs}\n`;
}
