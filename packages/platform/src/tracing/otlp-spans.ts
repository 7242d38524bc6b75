import type { EndedSpan } from './recording-tracer.ts';
import type { SpanAttributes, SpanKind } from './tracer.ts';

/** Numbers of `Span.SpanKind` of the protocol. */
const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const statusError = 2;

/** An `ExportTraceServiceRequest` of OTLP as JSON: ids in hexadecimal digits, enumerations as numbers, 64-bit numbers as text. */
export const exportRequest = (resource: SpanAttributes, spans: readonly EndedSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: 'chandlery' }, spans: spans.map(protocolSpan) }],
    },
  ],
});

const protocolSpan = ({ name, kind, context, parentSpanId, startedAtNs, endedAtNs, attributes, error }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: String(startedAtNs),
  endTimeUnixNano: String(endedAtNs),
  attributes: keyValues(attributes),
  status: error === undefined ? {} : { code: statusError, message: error },
});

const keyValues = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
