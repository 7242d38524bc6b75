import { ChandleryError } from '@chandlery/api';
import { type Labels, numberText, sampleLine } from './metric-text.ts';
import type { Counter, Family, Gauge, Histogram } from './metrics.ts';

/** What a metric holds for one combination of label values. */
export interface Series {
  render(name: string, labels: Labels): string;
}

interface Labelled<S> {
  readonly labels: Labels;
  readonly series: S;
}

/** The series of one metric, by label values. */
export class SeriesFamily<S extends Series, L extends string> implements Family<S, L> {
  readonly #labelNames: readonly L[];
  readonly #create: () => S;
  readonly #series = new Map<string, Labelled<S>>();
  /** The one that was asked for last: requests of one kind come in rows. */
  #last: Labelled<S> | undefined;

  constructor(labelNames: readonly L[], create: () => S) {
    this.#labelNames = labelNames;
    this.#create = create;
    // Without labels there is exactly one series, and it is there from the start, so that rates begin at zero.
    if (labelNames.length === 0) this.with({} as Readonly<Record<L, string>>);
  }

  with(labels: Readonly<Record<L, string>>): S {
    const last = this.#last;
    if (last !== undefined && this.#labelNames.every(name => last.labels[name] === labels[name])) return last.series;
    const key = this.#keyOf(labels);
    const found = this.#series.get(key) ?? this.#add(key, labels);
    this.#last = found;
    return found.series;
  }

  remove(labels: Readonly<Record<L, string>>): void {
    this.#last = undefined;
    this.#series.delete(this.#keyOf(labels));
  }

  clear(): void {
    this.#last = undefined;
    this.#series.clear();
  }

  render(name: string): string {
    return [...this.#series.values()].map(({ labels, series }) => series.render(name, labels)).join('');
  }

  #add(key: string, labels: Readonly<Record<L, string>>): Labelled<S> {
    const own = Object.fromEntries(this.#labelNames.map(name => [name, String(labels[name])]));
    const added = { labels: own, series: this.#create() };
    this.#series.set(key, added);
    return added;
  }

  #keyOf(labels: Readonly<Record<L, string>>): string {
    return this.#labelNames.map(name => labels[name]).join('\u0000');
  }
}

/** One number: a counter when it may only rise, else a gauge. */
export class NumberSeries implements Counter, Gauge, Series {
  readonly #onlyRises: boolean;
  #value = 0;

  constructor(onlyRises: boolean) {
    this.#onlyRises = onlyRises;
  }

  inc(amount = 1): void {
    if (this.#onlyRises && !(amount >= 0)) throw new ChandleryError('InvalidMetric', 'a counter cannot go down');
    this.#value += amount;
  }

  dec(amount = 1): void {
    this.#value -= amount;
  }

  set(value: number): void {
    this.#value = value;
  }

  render(name: string, labels: Labels): string {
    return sampleLine(name, labels, this.#value);
  }
}

/** Counts per bucket, with sum and total. */
export class BucketSeries implements Histogram, Series {
  readonly #bounds: readonly number[];
  /** One more than bounds: the last is for what is above all of them. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && !(value <= (this.#bounds[at] ?? 0))) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  render(name: string, labels: Labels): string {
    let total = 0;
    const buckets = this.#counts.map((count, at) => {
      total += count;
      return sampleLine(
        `${name}_bucket`,
        { ...labels, le: numberText(this.#bounds[at] ?? Number.POSITIVE_INFINITY) },
        total,
      );
    });
    return [...buckets, sampleLine(`${name}_sum`, labels, this.#sum), sampleLine(`${name}_count`, labels, total)].join(
      '',
    );
  }
}
