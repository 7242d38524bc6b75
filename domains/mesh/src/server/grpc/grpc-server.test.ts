import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../model/resource.ts';
import { TestByteCall } from '../../test-xds-client/test-byte-call.ts';
import type { TestXdsConnection } from '../../test-xds-client/test-connect-xds.ts';
import { encodeRequest } from '../../test-xds-client/test-messages.ts';
import type { TestXdsStream } from '../../test-xds-client/test-xds-stream.ts';
import { frameMessage } from '../../xds/frame-message.ts';
import { otherMethods, typeMethods } from '../discovery/discovery-methods.ts';
import { startTestServer } from '../test-server.ts';

const [{ fetch: fetchMethod } = { fetch: '' }] = typeMethods;
const request = encodeRequest({ node: { id: 'proxy-1' }, typeUrl: typeUrls.cluster });

/** The response to the headers of a call. */
async function answerTo(
  session: ClientHttp2Session,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  const call = session.request({
    ':method': 'POST',
    ':path': otherMethods.aggregated,
    'content-type': 'application/grpc',
    ...headers,
  });
  const [answer] = (await once(call, 'response')) as [Record<string, unknown>];
  call.close();
  return answer;
}

for (const { why, headers, answer } of [
  { why: 'is not gRPC', headers: { 'content-type': 'application/json' }, answer: { ':status': 415 } },
  { why: 'is gRPC-Web', headers: { 'content-type': 'application/grpc-web' }, answer: { ':status': 415 } },
  { why: 'is no POST', headers: { ':method': 'PUT' }, answer: { ':status': 405 } },
  {
    why: 'is for a method that there is not',
    headers: { ':path': '/no.Such/Method' },
    answer: { ':status': 200, 'grpc-status': String(status.UNIMPLEMENTED) },
  },
  {
    why: 'has compressed messages',
    headers: { 'grpc-encoding': 'gzip' },
    answer: { 'grpc-status': String(status.UNIMPLEMENTED), 'grpc-accept-encoding': 'identity' },
  },
  {
    why: 'has a timeout that is none',
    headers: { 'grpc-timeout': 'soon' },
    answer: { 'grpc-status': String(status.INVALID_ARGUMENT) },
  },
  {
    why: 'waits no longer than a moment',
    headers: { 'content-type': 'application/grpc+proto', 'grpc-timeout': '10m' },
    answer: { ':status': 200, 'grpc-status': String(status.DEADLINE_EXCEEDED) },
  },
]) {
  test(`a request that ${why} gets ${JSON.stringify(answer)}`, async () => {
    await using mesh = await startTestServer();
    const { session } = await mesh.connect();
    const given = await answerTo(session, headers);
    assert.deepEqual({ ...given, ...answer }, { ...given });
  });
}

test('a request that arrives byte by byte gets a response', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const call = new TestByteCall((await mesh.connect()).session, otherMethods.aggregated);
  for (const byte of frameMessage(request)) call.sendRaw(Buffer.from([byte]));
  assert.ok((await call.next()).length > 0);
});

for (const { why, requests } of [
  { why: 'none', requests: 0 },
  { why: 'two', requests: 2 },
]) {
  test(`a unary call is rejected when ${why} arrived`, async () => {
    await using mesh = await startTestServer();
    const call = new TestByteCall((await mesh.connect()).session, fetchMethod);
    for (let no = 0; no < requests; no++) call.send(request);
    call.finish();
    assert.equal((await call.ended()).code, status.INVALID_ARGUMENT);
  });
}

/** Opens a stream that has received a cluster and stays open. */
async function openCds(connection: TestXdsConnection): Promise<TestXdsStream> {
  const stream = connection.open({ autoAck: true });
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  return stream;
}

test('an old connection is asked to close, may finish its calls, and is closed when it does not', async () => {
  await using mesh = await startTestServer({ limits: { maxConnectionAgeMs: 400, maxConnectionAgeGraceMs: 1_500 } });
  mesh.view.set('cluster', 'a');
  const connection = await mesh.connect();
  const goaway = once(connection.session, 'goaway');
  const stream = await openCds(connection);
  const [code, , reason] = (await goaway) as [number, number, Buffer];
  assert.deepEqual([code, String(reason)], [0, 'max_age']);
  mesh.view.set('cluster', 'b');
  assert.equal((await stream.next()).resources.length, 2, 'its call goes on');
  await eventually(() => connection.session.destroyed, { what: 'the cut' });
});

test('a connection that is not used is closed, one that is used stays', async () => {
  await using mesh = await startTestServer({ limits: { maxIdleMs: 300 } });
  mesh.view.set('cluster', 'a');
  const used = await mesh.connect();
  const stream = await openCds(used);
  const unused = await mesh.connect({ identity: { proxyId: 'unused' } });
  await eventually(() => unused.session.destroyed);
  mesh.view.set('cluster', 'b');
  assert.equal((await stream.next()).resources.length, 2);
  stream.close();
  await eventually(() => used.session.destroyed, { what: 'the end of the one that is not used any longer' });
});

test('a client without keepalive response is disconnected, others are not', async () => {
  await using mesh = await startTestServer({ limits: { keepaliveMs: 20, keepaliveTimeoutMs: 1_000 } });
  mesh.view.set('cluster', 'a');
  const stream = await openCds(await mesh.connect());
  const deaf = connectTls({
    ...mesh.address,
    ...mesh.tls(),
    ALPNProtocols: ['h2'],
    checkServerIdentity: () => undefined,
  });
  await once(deaf, 'secureConnect');
  const noSettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  deaf.on('error', () => undefined).resume();
  deaf.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), noSettings]));
  await once(deaf, 'close');
  mesh.view.set('cluster', 'b');
  assert.equal((await stream.next()).resources.length, 2);
});
