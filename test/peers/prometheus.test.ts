// The contract of metrics sources on a real Prometheus.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { findPrometheus, whySkipped } from '@chandlery/testing';
import {
  contractSamples,
  describeMetricsSourceContract,
} from '../../domains/fleet/src/adapters/metrics/metrics-source-contract.ts';
import { PrometheusMetrics } from '../../domains/fleet/src/adapters/metrics/prometheus-metrics.ts';
import { startPrometheus } from './support/prometheus.ts';

const prometheus = await findPrometheus();

describeMetricsSourceContract(
  'Prometheus',
  async () => {
    const server = await startPrometheus(prometheus.path ?? '', contractSamples);
    const source = new PrometheusMetrics({ url: server.url });
    return {
      source,
      async [Symbol.asyncDispose]() {
        await source[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  { skip: whySkipped(prometheus) },
);

const query = { instanceId: 'alpha', namespace: 'dinosaur-alpha' };

/** A Prometheus that answers every query in one way; undefined: never. */
async function startFake(answer: { status: number; body: string } | undefined) {
  const server = createServer((_request, response) => {
    if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = new PrometheusMetrics({ url, timeoutMs: 300 });
  return {
    source,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const failures: readonly (readonly [
  why: string,
  answer: { status: number; body: string } | undefined,
  code: string,
])[] = [
  ['never answers', undefined, 'PeerUnavailable'],
  ['answers no JSON', { status: 200, body: '<html>' }, 'PeerUnavailable'],
  ['answers another result', { status: 200, body: '{"status":"success","data":[]}' }, 'PeerUnavailable'],
  ['is overloaded', { status: 503, body: '' }, 'PeerUnavailable'],
  ['wants a login', { status: 401, body: '' }, 'TerminalError'],
];
for (const [why, answer, code] of failures) {
  test(`a Prometheus that ${why} gives ${code}`, async () => {
    await using fake = await startFake(answer);
    await assert.rejects(fake.source.query(query), error => isError(error, code));
    await assert.rejects(fake.source.queryRange({ ...query, durationMinutes: 5, intervalSeconds: 60 }), error =>
      isError(error, code),
    );
  });
}

test('values that JSON does not have are left out', async () => {
  const result = [
    { metric: { __name__: 'a' }, value: [1_700_000_000.123, 'NaN'] },
    { metric: { __name__: 'b' }, value: [1_700_000_000.123, '+Inf'] },
    { metric: { __name__: 'c' }, value: [1_700_000_000.123, '2.5'] },
  ];
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
  await using fake = await startFake({ status: 200, body });
  assert.deepEqual(await fake.source.query(query), [
    { metric: { __name__: 'c' }, timestampMs: 1_700_000_000_123, value: 2.5 },
  ]);
});

test('plain http is accepted on loopback only', () => {
  assert.throws(
    () => new PrometheusMetrics({ url: 'http://prometheus.example.com' }),
    error => isError(error, 'TerminalError') && /metrics\.url/.test(error.message),
  );
});
