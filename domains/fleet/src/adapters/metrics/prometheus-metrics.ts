import { type Clock, systemClock } from '@chandlery/platform';
import { peerUnavailable } from '../../port-errors.ts';
import type { InstantSample, MetricsQuery, MetricsRangeQuery, MetricsSource, RangeSeries } from '../../ports.ts';
import { checkEndpoint } from '../endpoint.ts';
import { below, PeerHttp, parseJsonObject } from '../peer-http.ts';
import { readInstant, readRange } from './prometheus-results.ts';
import { rangeSteps } from './range-steps.ts';
import { selectorOf } from './selector.ts';

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
