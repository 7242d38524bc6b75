import { type Clock, systemClock } from '@chandlery/platform';
import { peerUnavailable } from '../../port-errors.ts';
import type {
  InstantSample,
  MetricLabels,
  MetricsQuery,
  MetricsRangeQuery,
  MetricsSource,
  RangeSeries,
} from '../../ports.ts';
import { checkEndpoint } from '../endpoint.ts';
import { below, PeerHttp, parseJsonObject } from '../peer-http.ts';
import { rangeSteps } from './range-steps.ts';

/** How a Prometheus is reached. */
export interface PrometheusOptions {
  /** With the path prefix, if any. */
  readonly url: string;
  /** For one query. Default 30 000. */
  readonly timeoutMs?: number;
  /** Trusted certificate authorities in PEM. Default: those of Node. */
  readonly caPem?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const defaultTimeoutMs = 30_000;
/** Prometheus rejects more (web/api: maxPointsPerTimeSeries). */
const maxSteps = 10_999;

/** Metrics of instances out of a Prometheus, or of what speaks its API. */
export class PrometheusMetrics implements MetricsSource, AsyncDisposable {
  readonly #base: URL;
  readonly #http: PeerHttp;
  readonly #clock: Clock;

  constructor({ url, timeoutMs = defaultTimeoutMs, caPem, clock = systemClock }: PrometheusOptions) {
    this.#base = checkEndpoint(url, 'metrics.url');
    this.#clock = clock;
    this.#http = new PeerHttp({ peer: 'Prometheus', timeoutMs, ...(caPem === undefined ? {} : { caPem }) });
  }

  async queryRange(query: MetricsRangeQuery): Promise<readonly RangeSeries[]> {
    const { startMs, endMs, stepMs } = rangeSteps(query, this.#clock.now().getTime(), maxSteps);
    const data = await this.#get('api/v1/query_range', [
      ['query', selectorOf(query)],
      ['start', seconds(startMs)],
      ['end', seconds(endMs)],
      ['step', seconds(stepMs)],
    ]);
    return readRange(data);
  }

  async query(query: MetricsQuery): Promise<readonly InstantSample[]> {
    return readInstant(await this.#get('api/v1/query', [['query', selectorOf(query)]]));
  }

  async federate(query: MetricsQuery): Promise<string> {
    const response = await this.#http.send({ url: below(this.#base, 'federate', [['match[]', selectorOf(query)]]) });
    if (response.status !== 200) throw this.#http.failure(response, 'read metrics');
    return response.text;
  }

  async #get(path: string, parameters: readonly (readonly [string, string])[]): Promise<unknown> {
    const response = await this.#http.send({
      url: below(this.#base, path, parameters),
      headers: { accept: 'application/json' },
    });
    const body = parseJsonObject(response.text);
    if (response.status !== 200) throw this.#http.failure(response, 'read metrics', errorOf(body));
    if (body?.['status'] !== 'success') throw peerUnavailable('cannot read metrics: Prometheus answered no result');
    return body['data'];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#http[Symbol.asyncDispose]();
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const errorOf = (body: Readonly<Record<string, unknown>> | undefined): string =>
  typeof body?.['error'] === 'string' ? body['error'].slice(0, 200) : '';

type Point = readonly [seconds: number, value: string];

/** Reads a matrix. Values that are not finite are left out, since JSON has none. */
function readRange(data: unknown): readonly RangeSeries[] {
  const series = resultOf(data, 'matrix').map(({ metric, values }) => ({
    metric: labelsOf(metric),
    values: (Array.isArray(values) ? values : []).map(toValue).filter(isFiniteValue),
  }));
  return series.filter(({ values }) => values.length > 0);
}

/** Reads a vector. Values that are not finite are left out. */
function readInstant(data: unknown): readonly InstantSample[] {
  return resultOf(data, 'vector')
    .map(({ metric, value }) => ({ metric: labelsOf(metric), ...toValue(value) }))
    .filter(isFiniteValue);
}

function resultOf(data: unknown, type: string): readonly Readonly<Record<string, unknown>>[] {
  const { resultType, result } = (data ?? {}) as { readonly resultType?: unknown; readonly result?: unknown };
  if (resultType === type && Array.isArray(result)) return result.map(item => (item ?? {}) as Record<string, unknown>);
  throw peerUnavailable(`cannot read metrics: Prometheus answered no ${type}`);
}

function labelsOf(metric: unknown): MetricLabels {
  const labels = Object.entries((metric ?? {}) as Record<string, unknown>);
  return Object.fromEntries(labels.filter((label): label is [string, string] => typeof label[1] === 'string'));
}

function toValue(point: unknown): { readonly timestampMs: number; readonly value: number } {
  const [seconds, value] = Array.isArray(point) ? (point as unknown as Point) : [Number.NaN, ''];
  return { timestampMs: Math.round(seconds * 1000), value: value === '' ? Number.NaN : Number(value) };
}

const isFiniteValue = ({ timestampMs, value }: { readonly timestampMs: number; readonly value: number }): boolean =>
  Number.isFinite(timestampMs) && Number.isFinite(value);

/** Returns the PromQL selector of an instance's series. Whatever the filters contain, they only match names. */
function selectorOf({ namespace, filters = [] }: MetricsQuery): string {
  const ofInstance = `namespace=${quoted(namespace)}`;
  if (filters.length === 0) return `{${ofInstance}}`;
  const names = filters.map(escapeRegExp).join('|');
  return `{__name__=~${quoted(names)},${ofInstance}}`;
}

/** A PromQL string is a Go string; JSON's escapes are a part of Go's. */
const quoted = (text: string): string => JSON.stringify(text);

/** Escapes what means something in Prometheus' regular expressions (RE2), which match whole names. */
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
