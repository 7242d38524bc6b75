import { type Logger, silentLogger } from '../log/logger.ts';
import { exportRequest } from './otlp-spans.ts';
import type { EndedSpan } from './recording-tracer.ts';
import type { SpanAttributes } from './tracer.ts';

/** What became of spans. */
export type SpanOutcome = 'exported' | 'dropped' | 'failed';

export interface OtlpExporterOptions {
  /** Of a collector, without `/v1/traces`: `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** What sends the spans: `service.name`, …. */
  readonly resource: SpanAttributes;
  /** Sent with each request, such as credentials of the collector. Default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Between two requests. Default 1000. */
  readonly intervalMs?: number;
  /** Default: outcomes are not counted. */
  readonly onOutcome?: (outcome: SpanOutcome, count: number) => void;
  /** Default: silent. */
  readonly logger?: Logger;
}

/** Spans beyond this number are dropped while the collector does not keep up. */
const maxWaiting = 8192;
const maxBatch = 512;
const timeoutMs = 10_000;

/**
 * Sends spans to a collector of OpenTelemetry by OTLP over HTTP, as JSON. Work never waits for it: what the collector
 * does not take is counted, said once in the log, and dropped.
 */
export class OtlpExporter implements AsyncDisposable {
  readonly #options: OtlpExporterOptions;
  readonly #url: string;
  readonly #waiting: EndedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    this.#url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= maxWaiting) return this.#options.onOutcome?.('dropped', 1);
    this.#waiting.push(span);
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.intervalMs ?? 1000).unref();
  }

  /** Resolves when everything added so far was sent, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#sendWaiting());
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, maxBatch));
  }

  async #send(batch: readonly EndedSpan[]): Promise<void> {
    const { resource, headers = {}, onOutcome, logger = silentLogger } = this.#options;
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(exportRequest(resource, batch)),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it responded with ${response.status}`);
      onOutcome?.('exported', batch.length);
      if (this.#isFailing) logger.info('traces can be exported again', { endpoint: this.#options.endpoint });
      this.#isFailing = false;
    } catch (thrown) {
      onOutcome?.('failed', batch.length);
      this.#warn(logger, thrown);
    }
  }

  #warn(logger: Logger, thrown: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const { message, cause } = thrown as Error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    logger.warn('traces cannot be exported; spans are dropped until the collector responds', {
      endpoint: this.#options.endpoint,
      why,
    });
  }
}
