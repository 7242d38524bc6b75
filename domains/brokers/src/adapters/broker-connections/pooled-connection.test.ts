import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, ManualClock } from '@chandlery/platform';
import { eventually, freePort } from '@chandlery/testing';
import type { BrokerRequest } from '../../ports.ts';
import { startScriptedBroker } from '../../test-broker/scripted-broker.ts';
import { connectTo } from '../../test-broker/test-connect.ts';

const catalog: BrokerRequest = { method: 'GET', path: '/v2/catalog', headers: { 'x-broker-api-version': '2.17' } };
const put: BrokerRequest = {
  method: 'PUT',
  path: '/v2/service_instances/a',
  headers: { 'x-broker-api-version': '2.17', 'content-type': 'application/json' },
  body: JSON.stringify({
    service_id: 'database-id',
    plan_id: 'database-sync',
    organization_guid: 'o',
    space_guid: 's',
  }),
};

test('an answer has status, headers and body, and the request what it should', async () => {
  await using broker = await startScriptedBroker({ prefix: '/base/path' });
  await using connection = connectTo({ url: `${broker.url}/` });
  const response = await connection.call(put);
  assert.equal(response.status, 201);
  assert.equal(response.headers['content-type'], 'application/json');
  assert.match(response.body.toString(), /dashboard_url/);
  const [seen] = broker.requests;
  assert.equal(seen?.url, '/v2/service_instances/a');
  assert.equal(seen.body, put.body);
});

test("neither the caller's credentials nor what belongs to its connection reach a broker", async () => {
  await using broker = await startScriptedBroker({ auth: { type: 'none' } });
  await using connection = connectTo(broker, { credentials: {} });
  const headers = {
    ...catalog.headers,
    authorization: 'Basic cGxhdGZvcm06c2VjcmV0',
    'proxy-authorization': 'x',
    cookie: 'a=b',
    host: 'elsewhere.example',
    'accept-encoding': 'gzip',
    'content-length': '3',
    te: 'trailers',
    'x-chandlery-tenant': 'acme',
    'x-broker-api-originating-identity': 'kubernetes e30=',
  };
  assert.equal((await connection.call({ ...catalog, headers })).status, 200);
  const { connection: _connection, host, ...seen } = broker.requests[0]?.headers ?? {};
  assert.equal(host, `127.0.0.1:${broker.port}`);
  assert.deepEqual(seen, {
    'x-broker-api-version': '2.17',
    'x-broker-api-originating-identity': 'kubernetes e30=',
  });
});

test('a broker is called with a token where there is one', async () => {
  await using broker = await startScriptedBroker({ auth: { type: 'bearer', token: 'sesame' } });
  await using connection = connectTo(broker, { credentials: { token: 'sesame', username: 'unused' } });
  assert.equal((await connection.call(catalog)).status, 200);
});

test('every status is an answer, redirects too', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker);
  broker.misbehave({ type: 'answer', status: 307, headers: { location: '/elsewhere' } });
  broker.misbehave({ type: 'answer', status: 503, body: 'garbage', headers: { 'content-type': 'text/html' } });
  const redirect = await connection.call(catalog);
  assert.deepEqual([redirect.status, redirect.headers['location']], [307, '/elsewhere']);
  const failure = await connection.call(catalog);
  assert.deepEqual([failure.status, failure.body.toString()], [503, 'garbage']);
});

test('a broker without a listening server is unreachable', async () => {
  await using connection = connectTo({ url: `http://127.0.0.1:${await freePort()}` });
  await assert.rejects(connection.call(put), { code: 'BrokerUnreachable' });
});

test('a broker without a usable address or certificate is unreachable', async () => {
  await using nowhere = connectTo({ url: 'not an address' });
  await assert.rejects(nowhere.call(put), { code: 'BrokerUnreachable' });
  await using unsafe = connectTo({ url: 'https://127.0.0.1:1' }, { spec: { caBundle: 'no certificate' } });
  await assert.rejects(unsafe.call(put), { code: 'BrokerUnreachable' });
});

test('a broker that does not answer in time times out, and its line is free again', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, { spec: { limits: { maxConnections: 1, timeoutMs: 100 } } });
  broker.misbehave({ type: 'hang' });
  await assert.rejects(connection.call(put), { code: 'BrokerTimeout' });
  assert.equal((await connection.call(put, { timeoutMs: 10_000 })).status, 201);
});

for (const type of ['drop', 'drop-mid-body'] as const)
  test(`a connection that breaks (${type}) is lost`, async () => {
    await using broker = await startScriptedBroker();
    await using connection = connectTo(broker);
    broker.misbehave({ type });
    await assert.rejects(connection.call(put), { code: 'BrokerConnectionLost' });
    assert.ok((await connection.call(put)).status < 300);
  });

test('a question is asked again when the connection broke before any answer, a change is not', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker);
  broker.misbehave({ type: 'drop' });
  assert.equal((await connection.call(catalog)).status, 200);
  broker.misbehave({ type: 'drop' }, { times: 2 });
  await assert.rejects(connection.call(catalog), { code: 'BrokerConnectionLost' });
});

test('an answer without end is cut off', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker);
  const mebibyte = 1024 * 1024;
  broker.misbehave({ type: 'answer', status: 200, body: 'x'.repeat(9 * mebibyte) });
  assert.equal((await connection.call(catalog)).body.length, 9 * mebibyte);
  broker.misbehave({ type: 'answer', status: 200, body: 'x'.repeat(11 * mebibyte) });
  await assert.rejects(connection.call(catalog), { code: 'BrokerConnectionLost' });
});

test('an aborted call rejects with the reason of the signal, sent or not', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, { spec: { limits: { maxConnections: 1 } } });
  broker.misbehave({ type: 'hang' });
  const [sent, waiting] = [new AbortController(), new AbortController()];
  const first = assert.rejects(connection.call(put, { signal: sent.signal }), /hung up/);
  const second = assert.rejects(connection.call(put, { signal: waiting.signal }), /gone/);
  await eventually(() => broker.requests.length === 1);
  waiting.abort(new Error('gone'));
  await second;
  sent.abort(new Error('hung up'));
  await first;
  assert.equal((await connection.call(catalog)).status, 200);
  assert.equal(broker.requests.length, 2);
});

test('calls wait in a line that has an end', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, { spec: { limits: { maxConnections: 2, maxWaiting: 1 } } });
  broker.misbehave({ type: 'delay', ms: 50 }, { times: 2 });
  const calls = [connection.call(catalog), connection.call(catalog), connection.call(catalog)];
  await assert.rejects(connection.call(catalog), { code: 'BrokerBusy', details: { retryAfterSeconds: 1 } });
  assert.deepEqual(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200, 200],
  );
});

test('a call that waits too long for a connection was not sent', async () => {
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, { spec: { limits: { maxConnections: 1 } } });
  broker.misbehave({ type: 'hang' });
  const hanging = assert.rejects(connection.call(put, { timeoutMs: 300 }), { code: 'BrokerTimeout' });
  await assert.rejects(connection.call(put, { timeoutMs: 50 }), { code: 'BrokerBusy' });
  await hanging;
  assert.equal(broker.requests.length, 1);
});

test('a broker is called as often as it may be', async () => {
  const clock = new ManualClock();
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, { clock, spec: { limits: { callsPerSecond: 2 } } });
  await connection.call(catalog);
  await connection.call(catalog);
  await assert.rejects(connection.call(catalog), { code: 'BrokerBusy' });
  clock.advance(500);
  assert.equal((await connection.call(catalog)).status, 200);
  await assert.rejects(connection.call(catalog), { code: 'BrokerBusy' });
});

test('repeated failures open the circuit breaker, then one probe closes it', async () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = createLogger({ write: line => lines.push(line), format: 'json' });
  await using broker = await startScriptedBroker();
  await using connection = connectTo(broker, {
    clock,
    logger,
    spec: { limits: { breakAfterFailures: 3, breakMs: 5000 } },
  });
  broker.misbehave({ type: 'answer', status: 500 }, { times: 5 });
  for (let call = 0; call < 5; call++) assert.equal((await connection.call(put)).status, 500);
  broker.misbehave({ type: 'drop' }, { times: 4 });
  for (let call = 0; call < 3; call++) await assert.rejects(connection.call(put), { code: 'BrokerConnectionLost' });
  const before = broker.requests.length;
  await assert.rejects(connection.call(put), { code: 'BrokerBusy', details: { retryAfterSeconds: 5 } });
  assert.equal(broker.requests.length, before);
  clock.advance(5000);
  const both = await Promise.allSettled([connection.call(put), connection.call(put)]);
  const codes = both.map(result => (result.status === 'rejected' ? (result.reason as { code: string }).code : ''));
  assert.deepEqual(codes, ['BrokerConnectionLost', 'BrokerBusy']);
  clock.advance(5000);
  assert.equal((await connection.call(put)).status, 201);
  assert.equal((await connection.call(put)).status, 200);
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join(''), /broker-password/);
});

test('secrets are in no message', async () => {
  await using connection = connectTo({ url: `http://127.0.0.1:${await freePort()}` });
  const failure = await connection.call(put).catch((thrown: unknown) => thrown);
  assert.ok(failure instanceof Error);
  assert.doesNotMatch(`${failure.stack} ${String(failure.cause)}`, /broker-password|YWRtaW4/);
});
