import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector has received it. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** A collector of OpenTelemetry that keeps what it receives. */
export interface OtlpCollector extends AsyncDisposable {
  /** For `--otlp-endpoint`. */
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that it has received, as text. */
  readonly received: string;
}

/**
 * Starts a receiver of OTLP over HTTP with JSON bodies, on a free port of 127.0.0.1. It responds with 400 to what the
 * protocol does not allow, as strictly as a collector with the definitions of the protocol.
 */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    try {
      if (request.method !== 'POST' || request.url !== '/v1/traces') throw new TypeError('there is POST /v1/traces');
      spans.push(...decodeExport(JSON.parse(body)));
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    } catch (failure) {
      response.writeHead(400).end(String(failure));
    }
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get received() {
      return bodies.join('\n');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Decodes an `ExportTraceServiceRequest`. Throws for fields and values that its definition does not have. */
function decodeExport(body: unknown): CollectedSpan[] {
  return listOf(fieldsOf(body, ['resourceSpans'])['resourceSpans']).flatMap(entry => {
    const { resource, scopeSpans } = fieldsOf(entry, ['resource', 'scopeSpans', 'schemaUrl']);
    const service = String(attributesOf(fieldsOf(resource, ['attributes'])['attributes'])['service.name']);
    return listOf(scopeSpans).flatMap(scoped => {
      const { scope, spans } = fieldsOf(scoped, ['scope', 'spans', 'schemaUrl']);
      fieldsOf(scope, ['name', 'version']);
      return listOf(spans).map(span => ({ service, ...decodeSpan(span) }));
    });
  });
}

const spanFields = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

function decodeSpan(span: unknown): Omit<CollectedSpan, 'service'> {
  const fields = fieldsOf(span, spanFields);
  const { kind, parentSpanId } = fields;
  if (typeof kind !== 'number' || kind < 1 || kind > 5) throw new TypeError(`${String(kind)} is no SpanKind`);
  const [start, end] = [textOf(fields, 'startTimeUnixNano', /^\d+$/), textOf(fields, 'endTimeUnixNano', /^\d+$/)];
  if (BigInt(end) < BigInt(start)) throw new TypeError('a span ends before it starts');
  const { code = 0 } = fieldsOf(fields['status'], ['code', 'message']);
  if (![0, 1, 2].includes(code as number)) throw new TypeError(`${String(code)} is no StatusCode`);
  return {
    traceId: textOf(fields, 'traceId', /^[0-9a-f]{32}$/),
    spanId: textOf(fields, 'spanId', /^[0-9a-f]{16}$/),
    parentSpanId: parentSpanId === undefined ? undefined : textOf(fields, 'parentSpanId', /^[0-9a-f]{16}$/),
    name: textOf(fields, 'name', /./),
    attributes: attributesOf(fields['attributes']),
  };
}

const valueTypes: Readonly<Record<string, (value: unknown) => string | number | boolean>> = {
  stringValue: String,
  boolValue: Boolean,
  intValue: Number,
  doubleValue: Number,
};

function attributesOf(list: unknown): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {};
  for (const entry of listOf(list)) {
    const { key, value } = fieldsOf(entry, ['key', 'value']);
    const [[type = '', content] = []] = Object.entries(fieldsOf(value, Object.keys(valueTypes)));
    attributes[String(key)] = valueTypes[type]?.(content) ?? '';
  }
  return attributes;
}

function fieldsOf(value: unknown, allowed: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('a message is expected');
  const unknown = Object.keys(value).find(field => !allowed.includes(field));
  if (unknown !== undefined) throw new TypeError(`the protocol has no field "${unknown}" here`);
  return value as Fields;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a list is expected');
  return value;
}

function textOf(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields[name];
  if (typeof value !== 'string' || !pattern.test(value)) throw new TypeError(`"${String(value)}" is no ${name}`);
  return value;
}
