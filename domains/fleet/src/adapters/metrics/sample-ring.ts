import type { MeasuredSample, MetricLabels } from '../../ports.ts';

/** A series that an instance has or had. */
export interface Series {
  /** Equal for equal labels. */
  readonly key: string;
  readonly metric: MetricLabels;
}

/** What was measured at one moment. */
export interface Scrape {
  readonly instanceId: string;
  readonly atMs: number;
  /** Shared with the scrape before when it has the same series. */
  readonly series: readonly Series[];
  /** In the order of `series`. */
  readonly values: Float64Array;
}

/** How much is kept. */
export interface RingLimits {
  readonly maxScrapesPerInstance: number;
  readonly maxSamplesPerScrape: number;
  /** Of all instances. */
  readonly maxSamples: number;
}

interface InstanceScrapes {
  /** Oldest first. */
  readonly scrapes: Set<Scrape>;
  newest: Scrape | undefined;
}

/** Scrapes of many instances within limits; the oldest go first, those of the whole ring as those of one instance. */
export class SampleRing {
  readonly #limits: RingLimits;
  readonly #instances = new Map<string, InstanceScrapes>();
  /** Sets keep the order of arrival and delete from anywhere in constant time. */
  readonly #all = new Set<Scrape>();
  #samples = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** How many samples are kept. */
  get size(): number {
    return this.#samples;
  }

  /** Oldest first. */
  scrapesOf(instanceId: string): readonly Scrape[] {
    return [...(this.#instances.get(instanceId)?.scrapes ?? [])];
  }

  add(instanceId: string, atMs: number, samples: readonly MeasuredSample[]): void {
    const { maxSamplesPerScrape, maxSamples, maxScrapesPerInstance } = this.#limits;
    const kept = samples.slice(0, Math.min(maxSamplesPerScrape, maxSamples));
    if (kept.length === 0) return;
    const own = this.#instances.get(instanceId) ?? { scrapes: new Set<Scrape>(), newest: undefined };
    const series = sharedSeries(own.newest?.series, kept.map(toSeries));
    const scrape = { instanceId, atMs, series, values: Float64Array.from(kept, ({ value }) => value) };
    own.scrapes.add(scrape);
    own.newest = scrape;
    this.#instances.set(instanceId, own);
    this.#all.add(scrape);
    this.#samples += kept.length;
    if (own.scrapes.size > maxScrapesPerInstance) this.#drop(first(own.scrapes));
    while (this.#samples > maxSamples) this.#drop(first(this.#all));
  }

  forget(instanceId: string): void {
    for (const scrape of this.scrapesOf(instanceId)) this.#drop(scrape);
  }

  #drop(scrape: Scrape | undefined): void {
    if (scrape === undefined) return;
    const own = this.#instances.get(scrape.instanceId);
    own?.scrapes.delete(scrape);
    if (own?.scrapes.size === 0) this.#instances.delete(scrape.instanceId);
    this.#all.delete(scrape);
    this.#samples -= scrape.values.length;
  }
}

function first<T>(items: Iterable<T>): T | undefined {
  const [item] = items;
  return item;
}

function toSeries({ metric }: MeasuredSample): Series {
  const entries = Object.entries(metric).sort(([left], [right]) => (left < right ? -1 : 1));
  return { key: JSON.stringify(entries), metric: Object.fromEntries(entries) };
}

function sharedSeries(before: readonly Series[] | undefined, now: readonly Series[]): readonly Series[] {
  const isSame = before?.length === now.length && before.every(({ key }, index) => key === now[index]?.key);
  return isSame ? before : now;
}
