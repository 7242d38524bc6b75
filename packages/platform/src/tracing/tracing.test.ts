import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '../log/logger.ts';
import { MetricsRegistry } from '../metrics/metrics.ts';
import { openTracing } from './open-tracing.ts';
import { type EndedSpan, RecordingTracer } from './recording-tracer.ts';
import { formatTraceparent, parseTraceparent } from './span-context.ts';
import { currentSpan, currentTraceparent, silentTracer, traced, withSpan } from './tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const parent = { traceId, spanId, isSampled: true };

const headers: readonly { why: string; text: string | undefined; context: object | undefined }[] = [
  { why: 'sampled', text: `00-${traceId}-${spanId}-01`, context: parent },
  { why: 'not sampled', text: `00-${traceId}-${spanId}-00`, context: { ...parent, isSampled: false } },
  { why: 'unknown flags are ignored', text: `00-${traceId}-${spanId}-03`, context: parent },
  { why: 'a later version may continue', text: `01-${traceId}-${spanId}-01-more`, context: parent },
  { why: 'the first version may not', text: `00-${traceId}-${spanId}-01-more`, context: undefined },
  { why: 'version ff is forbidden', text: `ff-${traceId}-${spanId}-01`, context: undefined },
  { why: 'upper case', text: `00-${traceId.toUpperCase()}-${spanId}-01`, context: undefined },
  { why: 'no trace id', text: `00-${'0'.repeat(32)}-${spanId}-01`, context: undefined },
  { why: 'no span id', text: `00-${traceId}-${'0'.repeat(16)}-01`, context: undefined },
  { why: 'absent', text: undefined, context: undefined },
];
for (const { why, text, context } of headers)
  test(`a traceparent: ${why}`, () => {
    assert.deepEqual(parseTraceparent(text), context);
  });

function record(options: Partial<ConstructorParameters<typeof RecordingTracer>[0]> = {}) {
  const ended: EndedSpan[] = [];
  return { tracer: new RecordingTracer({ onEnd: span => void ended.push(span), ...options }), ended };
}

test('spans nest by what runs in what, across awaits', async () => {
  const { tracer, ended } = record();
  await traced(tracer, 'outer', { kind: 'server', parent }, async () => {
    await Promise.resolve();
    await traced(tracer, 'inner', { attributes: { n: 1 } }, async span => span.setAttribute('m', 'x'));
  });
  const [inner, outer] = ended;
  assert.equal(outer?.parentSpanId, spanId);
  assert.equal(inner?.parentSpanId, outer.context.spanId);
  assert.deepEqual([inner.context.traceId, inner.attributes], [traceId, { n: 1, m: 'x' }]);
  assert.ok(inner.endedAtNs >= inner.startedAtNs && outer.startedAtNs <= inner.startedAtNs);
  assert.equal(currentSpan(), undefined);
});

test('an error marks a span by its code, without its message', async () => {
  const { tracer, ended } = record();
  const failing = traced(tracer, 'failing', {}, () => {
    throw new ChandleryError('NotFound', 'password hunter2 does not exist');
  });
  await assert.rejects(failing, { code: 'NotFound' });
  assert.equal(ended[0]?.error, 'NotFound');
});

test('a decision not to record travels on, and costs no span', () => {
  const { tracer, ended } = record({ ratio: 0 });
  const span = tracer.startSpan('request');
  withSpan(span, () => {
    assert.match(currentTraceparent() ?? '', /-00$/);
    tracer.startSpan('below').end();
  });
  span.end();
  tracer.startSpan('decided by others', { parent }).end();
  assert.deepEqual(
    ended.map(({ name }) => name),
    ['decided by others'],
  );
});

test('what outlives its span is part of no trace', async () => {
  const { tracer } = record();
  const begun = Promise.withResolvers<void>();
  const watching = traced(tracer, 'request', {}, () => {
    assert.notEqual(currentTraceparent(), undefined);
    return { watch: begun.promise.then(() => currentTraceparent()) };
  });
  const { watch } = await watching;
  begun.resolve();
  assert.equal(await watch, undefined);
});

test('work that needs a parent begins no trace', () => {
  const { tracer, ended } = record();
  const span = tracer.startSpan('reconcile', { needsParent: true });
  assert.equal(span.context, undefined);
  span.end();
  withSpan(silentTracer.startSpan('off'), () => assert.equal(currentTraceparent(), undefined));
  assert.deepEqual(ended, []);
});

test('spans reach a collector as OTLP over HTTP, and a lost one is survived', async () => {
  const bodies: string[] = [];
  const seen: unknown[] = [];
  let status = 503;
  const collect = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push([request.method, request.url, request.headers['content-type'], request.headers['x-key']]);
    if (status === 200) bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(status).end('{}');
  };
  const server = createServer((request, response) => void collect(request, response));
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  const registry = new MetricsRegistry();
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, ' };
  const resource = { 'service.name': 'test' };
  {
    await using lost = openTracing({ endpoint, resource, env, registry, logger: silentLogger });
    lost.tracer.startSpan('lost').end();
  }
  status = 200;
  {
    await using tracing = openTracing({
      endpoint,
      resource,
      env,
      registry: new MetricsRegistry(),
      logger: silentLogger,
    });
    tracing.tracer.startSpan('kept', { kind: 'client', parent, attributes: { s: 'a', n: 7, b: true, d: 0.5 } }).end();
  }
  await new Promise(resolve => server.close(resolve));
  assert.deepEqual(seen, Array<unknown>(2).fill(['POST', '/v1/traces', 'application/json', 'a b']));
  const { resourceSpans } = JSON.parse(bodies[0] ?? '') as {
    resourceSpans: [{ resource: object; scopeSpans: [{ spans: [Record<string, unknown>] }] }];
  };
  const [{ resource: from, scopeSpans }] = resourceSpans;
  assert.deepEqual(from, { attributes: [{ key: 'service.name', value: { stringValue: 'test' } }] });
  const [{ startTimeUnixNano, endTimeUnixNano, spanId: own, ...rest }] = scopeSpans[0].spans;
  assert.match(`${startTimeUnixNano} ${endTimeUnixNano} ${own}`, /^\d{19} \d{19} [0-9a-f]{16}$/);
  assert.deepEqual(rest, {
    traceId,
    parentSpanId: spanId,
    name: 'kept',
    kind: 3,
    attributes: [
      { key: 's', value: { stringValue: 'a' } },
      { key: 'n', value: { intValue: '7' } },
      { key: 'b', value: { boolValue: true } },
      { key: 'd', value: { doubleValue: 0.5 } },
    ],
    status: {},
  });
  assert.match(await registry.render(), /^chandlery_trace_spans_total\{outcome="failed"\} 1$/m);
  assert.equal(formatTraceparent(parent), `00-${traceId}-${spanId}-01`);
});
