import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { typeUrls } from '../model/resource.ts';
import { encodeRequest } from '../test-xds-client/test-messages.ts';
import type { TestXdsStream } from '../test-xds-client/test-xds-stream.ts';
import { TestRoot } from './test-mesh-authority.ts';
import { startTestServer, type TestServer, testIdentity } from './test-server.ts';

async function openCds(mesh: TestServer, proxyId = 'proxy-1'): Promise<TestXdsStream> {
  const stream = (await mesh.connect({ identity: { proxyId } })).open({ autoAck: true });
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  return stream;
}

async function serverSerial({ address, authority }: TestServer): Promise<string> {
  const socket = connectTls({ ...address, ca: authority.trustBundle, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test('roots are exchanged step by step without losing a stream', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const oldRoot = mesh.authority.root;
  const newRoot = new TestRoot();
  const early = await openCds(mesh, 'early');
  mesh.authority.setRoots([oldRoot, newRoot]);
  const between = await openCds(mesh, 'between');
  const renewed = oldRoot.issue({ ...testIdentity, proxyId: 'old-cert' });
  const tolerated = (await mesh.connect({ certificate: renewed, identity: { proxyId: 'old-cert' } })).open();
  tolerated.send({ typeUrl: typeUrls.cluster });
  await tolerated.next();
  mesh.authority.setRoots([newRoot]);
  const late = await openCds(mesh, 'late');
  mesh.view.set('cluster', 'b');
  for (const stream of [early, between, late]) {
    assert.equal((await stream.next()).resources.length, 2);
    assert.equal(stream.end, undefined);
  }
  const refused = (await mesh.connect({ certificate: renewed, identity: { proxyId: 'old-cert' } })).open();
  refused.send({ typeUrl: typeUrls.cluster });
  assert.equal((await refused.ended()).code, status.UNAUTHENTICATED);
  const { size } = new Set([...mesh.server.listClients()].map(({ rootFingerprint }) => rootFingerprint));
  assert.equal(size, 2, 'it is known which root has certified whom');
});

test('a renewed certificate of the server is shown to new clients, and old ones stay', async () => {
  await using mesh = await startTestServer({ limits: { checkIntervalMs: 10 } });
  mesh.view.set('cluster', 'a');
  const stream = await openCds(mesh);
  const before = await serverSerial(mesh);
  mesh.authority.renewServerCertificate();
  await eventually(async () => (await serverSerial(mesh)) !== before);
  mesh.view.set('cluster', 'b');
  assert.equal((await stream.next()).resources.length, 2);
});

test('an authority without roots leaves the server unchanged, and no client is accepted meanwhile', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const stream = await openCds(mesh);
  const { root, trustBundle: ca } = mesh.authority;
  const certificate = root.issue({ ...testIdentity, proxyId: 'late' });
  mesh.authority.setRoots([]);
  const options = { certificate: { ...certificate, ca }, identity: { proxyId: 'late' } };
  const refused = (await mesh.connect(options)).open();
  assert.equal((await refused.ended()).code, status.UNAUTHENTICATED);
  mesh.authority.setRoots([root]);
  const late = (await mesh.connect(options)).open();
  late.send({ typeUrl: typeUrls.cluster });
  assert.equal((await late.next()).resources.length, 1);
  assert.equal(stream.end, undefined);
});

test('a stream ends some time after the certificate of its client', async () => {
  const clock = new ManualClock(new Date());
  await using mesh = await startTestServer({ clock, limits: { checkIntervalMs: 10, expiryGraceMs: 60_000 } });
  mesh.view.set('cluster', 'a');
  const stream = await openCds(mesh);
  clock.advance(60 * 60 * 1000 + 30_000);
  mesh.view.set('cluster', 'b');
  await stream.next();
  assert.equal(stream.end, undefined, 'it goes on while the grace lasts');
  clock.advance(60_000);
  const end = await stream.ended();
  assert.equal(end.code, status.UNAUTHENTICATED);
  assert.match(end.message, /expired at/);
});

test('clients of a reloaded mesh are asked to reconnect, and may', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const streams = [await openCds(mesh, 'one'), await openCds(mesh, 'two')];
  mesh.registry.reloadMeshes();
  for (const stream of streams) assert.equal((await stream.ended()).code, status.UNAVAILABLE);
  assert.equal((await openCds(mesh, 'one')).end, undefined);
});

test('a server that stops sends its clients to other replicas and closes the port', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const streams = [await openCds(mesh, 'one'), await openCds(mesh, 'two')];
  await mesh.server[Symbol.asyncDispose]();
  for (const stream of streams) assert.equal((await stream.ended()).code, status.UNAVAILABLE);
  await assert.rejects(mesh.connect(), { code: 'ECONNREFUSED' });
  assert.equal(mesh.registry.connected.size, 0);
});

test('a client that does not read is disconnected, and others are served meanwhile', async () => {
  const limits = { stalledTimeoutMs: 100 };
  await using mesh = await startTestServer({ limits: { endTimeoutMs: 100 }, streamOptions: { limits } });
  for (let index = 0; index < 20; index++) mesh.view.set('endpoints', `e${index}`, 'x'.repeat(100_000));
  const stalled = await mesh.connect();
  const stream = stalled.open({ neverReads: true });
  stream.send({ typeUrl: typeUrls.endpoints, names: Array.from({ length: 20 }, (_, index) => `e${index}`) });
  await eventually(() => mesh.registry.connected.size === 1);
  const healthy = await openHealthy(mesh);
  await eventually(() => stalled.session.destroyed, { what: 'the connection to be cut' });
  await eventually(() => mesh.registry.connected.size === 1 && mesh.streams.count === 1);
  mesh.view.set('cluster', 'b');
  assert.equal((await healthy.next()).resources.length, 2, 'others are served meanwhile');
});

async function openHealthy(mesh: TestServer): Promise<TestXdsStream> {
  mesh.view.set('cluster', 'a');
  return openCds(mesh, 'healthy');
}

test('hostile messages end at most their own stream, and never as a fault of ours', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const connection = await mesh.connect();
  const honest = encodeRequest({ node: { id: 'proxy-1' }, typeUrl: typeUrls.cluster });
  const hostile = fc.uint8Array({ minLength: 1, maxLength: 64 });
  await fc.assert(
    fc.asyncProperty(hostile, fc.nat(honest.length), async (bytes, at) => {
      const stream = connection.open();
      stream.sendBytes(Buffer.concat([honest.subarray(0, at), bytes, honest.subarray(at)]));
      stream.finish();
      const { code } = await stream.ended();
      const allowed = [status.OK, status.INVALID_ARGUMENT, status.PERMISSION_DENIED, status.RESOURCE_EXHAUSTED];
      assert.ok(allowed.includes(code), `code ${code}`);
    }),
    { numRuns: 100 },
  );
  assert.equal((await openCds(mesh, 'later')).responses.length, 1);
});

test('messages that are too long, or not framed as gRPC does, end their stream', async () => {
  await using mesh = await startTestServer({ limits: { maxRequestBytes: 1_000 } });
  mesh.view.set('cluster', 'a');
  const connection = await mesh.connect();
  const long = connection.open();
  long.sendBytes(Buffer.alloc(2_000));
  assert.equal((await long.ended()).code, status.RESOURCE_EXHAUSTED);
  const unframed = connection.open();
  unframed.sendRaw(Buffer.alloc(100, 0xff));
  assert.notEqual((await unframed.ended()).code, status.OK);
  assert.equal((await openCds(mesh, 'later')).responses.length, 1);
});

test('bytes other than TLS, and aborted handshakes, do not affect other clients', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  for (const bytes of [
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]),
  ]) {
    const socket = connectTcp(mesh.address);
    socket.on('error', () => undefined);
    socket.resume().end(bytes);
    await once(socket, 'close');
  }
  const silent = connectTcp(mesh.address);
  await once(silent, 'connect');
  assert.equal((await openCds(mesh)).responses.length, 1);
  const cut = once(silent.resume(), 'close');
  await mesh.server[Symbol.asyncDispose]();
  await cut;
});

test('a method that there is not is UNIMPLEMENTED', async () => {
  await using mesh = await startTestServer();
  const { session } = await mesh.connect();
  const call = session.request({ ':method': 'POST', ':path': '/no.Such/Method', 'content-type': 'application/grpc' });
  const [headers] = (await once(call, 'response')) as [Record<string, string>];
  call.close();
  assert.equal(Number(headers['grpc-status']), status.UNIMPLEMENTED);
});
