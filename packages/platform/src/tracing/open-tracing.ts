import type { Logger } from '../log/logger.ts';
import type { MetricsRegistry } from '../metrics/metrics.ts';
import { OtlpExporter, type SpanOutcome } from './otlp-exporter.ts';
import { RecordingTracer } from './recording-tracer.ts';
import { type SpanAttributes, silentTracer, type Tracer } from './tracer.ts';

export interface TracingOptions {
  /** Of a collector; undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  /** The share of traces begun here that are recorded, 0 to 1. Default 1. */
  readonly ratio?: number;
  /** `service.name`, …. */
  readonly resource: SpanAttributes;
  /** `OTEL_EXPORTER_OTLP_HEADERS` is read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
}

/** The tracer of a process. Disposing of it sends what waits. */
export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer;
}

/** Opens the tracer of a process: a silent one without an endpoint. */
export function openTracing({ endpoint, ratio, resource, env, registry, logger }: TracingOptions): Tracing {
  if (endpoint === undefined) return { tracer: silentTracer, [Symbol.asyncDispose]: async () => undefined };
  const spans = registry.counter({
    name: 'chandlery_trace_spans_total',
    help: 'Spans by what became of them.',
    labels: ['outcome'],
  });
  const onOutcome = (outcome: SpanOutcome, count: number): void => spans.with({ outcome }).inc(count);
  const headers = parseHeaders(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '');
  const exporter = new OtlpExporter({ endpoint, resource, headers, onOutcome, logger });
  const tracer = new RecordingTracer({ onEnd: span => exporter.add(span), ...(ratio === undefined ? {} : { ratio }) });
  return { tracer, [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose]() };
}

/** `name=value,…`, percent-encoded, as OpenTelemetry writes headers in a variable. */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map(pair => pair.split('='));
  return Object.fromEntries(
    pairs
      .filter(([name = '']) => name.trim() !== '')
      .map(([name = '', ...value]) => [name.trim().toLowerCase(), decodeURIComponent(value.join('=').trim())]),
  );
}
