import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsRegistry, silentLogger } from '@chandlery/platform';
import { createBrokerConnections } from './adapters/broker-connections/broker-connections.ts';
import { addOsbMetrics } from './metrics.ts';
import { removeRow } from './model/rows.ts';
import { defaultBrokerSettings } from './settings.ts';
import { startScriptedBroker } from './test-broker/scripted-broker.ts';
import { seedRow, startTestRegistry } from './test-registry.ts';

const catalogRequest = { method: 'GET', path: '/v2/catalog', headers: { 'x-broker-api-version': '2.17' } } as const;

test('calls of a registered broker are counted by outcome, until the broker is removed', async () => {
  await using started = await startTestRegistry();
  const { registry } = started;
  await using broker = await startScriptedBroker();
  const metrics = new MetricsRegistry();
  const options = { registry, internalBrokers: new Map(), settings: defaultBrokerSettings, logger: silentLogger };
  await using connections = createBrokerConnections({ ...options, metrics: addOsbMetrics(metrics) });
  const data = { username: 'admin', password: 'broker-password' };
  await registry.commit([{ type: 'put-secret', tenant: 'service-manager', name: 'broker-b', data }]);
  const spec = { name: 'pg', url: broker.url, credentialsSecret: 'broker-b', limits: { breakAfterFailures: 0 } };
  const row = await seedRow(registry, 'brokers', { id: 'b', spec });
  const connection = await connections.of(row);
  await connection.call(catalogRequest);
  await connection.call({ ...catalogRequest, path: '/v2/nothing' });
  broker.misbehave({ type: 'answer', status: 500 });
  await connection.call(catalogRequest);
  broker.misbehave({ type: 'hang' });
  await assert.rejects(connection.call(catalogRequest, { timeoutMs: 20 }));
  await broker.stop();
  await assert.rejects(connection.call({ ...catalogRequest, method: 'DELETE' }));
  const text = await metrics.render();
  const outcomes = ['success', 'client_error', 'server_error', 'timeout'];
  for (const outcome of outcomes)
    assert.match(text, new RegExp(`chandlery_osb_calls_total\\{broker="pg",outcome="${outcome}"\\} 1\n`));
  assert.match(text, /chandlery_osb_calls_total\{broker="pg",outcome="(unreachable|connection_lost)"\} 1\n/);
  assert.match(text, /chandlery_osb_call_seconds_count\{broker="pg"\} 5\n/);
  await registry.commit([removeRow('brokers', row)]);
  assert.doesNotMatch(await metrics.render(), /broker="pg"/);
});

test('brokers beyond the limit share the series of "other"', async () => {
  const metrics = new MetricsRegistry();
  const calls = addOsbMetrics(metrics);
  for (let at = 0; at < 300; at++) calls.observerOf(`broker-${at}`)('success', 0.1);
  const text = await metrics.render();
  assert.match(text, /chandlery_osb_calls_total\{broker="other",outcome="success"\} 100\n/);
  assert.equal(text.match(/chandlery_osb_call_seconds_count/g)?.length, 201);
});
