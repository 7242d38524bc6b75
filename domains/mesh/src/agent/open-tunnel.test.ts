import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort, runProcess, tempFolder } from '@chandlery/testing';
import { Client, credentials } from '@grpc/grpc-js';
import { typeUrls } from '../model/resource.ts';
import { otherMethods } from '../server/discovery/discovery-methods.ts';
import { startTestServer, type TestServer, testIdentity } from '../server/test-server.ts';
import { connectXds } from '../test-xds-client/test-connect-xds.ts';
import { decodeResponse, encodeRequest } from '../test-xds-client/test-messages.ts';
import type { CertificateFiles } from './certificate-folder.ts';
import { openTunnel, type Tunnel } from './open-tunnel.ts';

const filesOf = ({ authority }: TestServer, proxyId = 'proxy-1'): CertificateFiles => ({
  ...authority.root.issue({ ...testIdentity, proxyId }),
  ca: authority.trustBundle,
});

const openTo = (mesh: TestServer, readCertificate = () => filesOf(mesh)): Promise<Tunnel> =>
  openTunnel({
    listen: { host: '127.0.0.1', port: 0 },
    target: { ...mesh.address, name: 'localhost' },
    readCertificate,
  });

test('a gRPC client without any certificate is served through the tunnel', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  await using tunnel = await openTo(mesh);
  await assertServed(`127.0.0.1:${tunnel.port}`);
});

/** Asserts that a gRPC client without a certificate is served at the address. */
async function assertServed(address: string): Promise<void> {
  const client = new Client(address, credentials.createInsecure());
  const asItIs = (message: Buffer): Buffer => message;
  const call = client.makeBidiStreamRequest(otherMethods.aggregated, asItIs, asItIs);
  call.on('error', () => undefined);
  call.write(encodeRequest({ node: { id: 'proxy-1' }, typeUrl: typeUrls.cluster, names: ['*'] }));
  const [message] = (await once(call, 'data')) as [Buffer];
  assert.equal(decodeResponse(message).resources[0]?.name, 'a');
  call.cancel();
  client.close();
}

test('a renewed certificate is used from the next connection on', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  let proxyId = 'before';
  await using tunnel = await openTo(mesh, () => filesOf(mesh, proxyId));
  const address = { host: '127.0.0.1', port: tunnel.port };
  await using first = await connectXds({ address, node: { id: 'before' } });
  const stream = first.open();
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  proxyId = 'after';
  await using second = await connectXds({ address, node: { id: 'after' } });
  const next = second.open();
  next.send({ typeUrl: typeUrls.cluster });
  await next.next();
  assert.deepEqual(
    [...mesh.registry.connected].map(({ identity }) => identity.proxyId),
    ['before', 'after'],
  );
});

test('a control plane with a wrong certificate gets nothing, and the client is disconnected', async () => {
  await using mesh = await startTestServer();
  const foreign = await startTestServer();
  await using _foreign = foreign;
  await using tunnel = await openTo(mesh, () => ({ ...filesOf(mesh), ca: foreign.authority.trustBundle }));
  const connection = await connectXds({ address: { host: '127.0.0.1', port: tunnel.port }, node: { id: 'proxy-1' } });
  await once(connection.session, 'close');
  assert.equal(mesh.registry.connected.size, 0);
});

test('an unreadable certificate disconnects the client and leaves the tunnel open', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  let isBroken = true;
  await using tunnel = await openTo(mesh, () => {
    if (isBroken) throw new Error('no such file');
    return filesOf(mesh);
  });
  const address = { host: '127.0.0.1', port: tunnel.port };
  const refused = await connectXds({ address, node: { id: 'proxy-1' } });
  await once(refused.session, 'close');
  isBroken = false;
  await using served = await connectXds({ address, node: { id: 'proxy-1' } });
  const stream = served.open();
  stream.send({ typeUrl: typeUrls.cluster });
  assert.equal((await stream.next()).resources.length, 1);
});

test('disposing of a tunnel cuts what it carries', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  const tunnel = await openTo(mesh);
  const connection = await connectXds({ address: { host: '127.0.0.1', port: tunnel.port }, node: { id: 'proxy-1' } });
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.cluster });
  await stream.next();
  await tunnel[Symbol.asyncDispose]();
  await stream.ended();
  assert.ok(connection.session.destroyed);
});

test('a tunnel follows the control plane to another address, and reports when it is not reachable', async () => {
  await using mesh = await startTestServer();
  mesh.view.set('cluster', 'a');
  let [port, failures] = [await freePort(), 0];
  await using tunnel = await openTunnel({
    listen: { host: '127.0.0.1', port: 0 },
    target: () => ({ ...mesh.address, port, name: 'localhost' }),
    readCertificate: () => filesOf(mesh),
    onFailure: () => {
      failures += 1;
    },
  });
  const address = { host: '127.0.0.1', port: tunnel.port };
  const refused = await connectXds({ address, node: { id: 'proxy-1' } });
  await once(refused.session, 'close');
  assert.equal(failures, 1);
  ({ port } = mesh.address);
  await using served = await connectXds({ address, node: { id: 'proxy-1' } });
  const stream = served.open();
  stream.send({ typeUrl: typeUrls.cluster });
  assert.equal((await stream.next()).resources.length, 1);
  assert.equal(failures, 1);
});

const noFiles = (): CertificateFiles => ({ cert: '', key: '', ca: '' });
const nobody = { host: '127.0.0.1', port: 1 };

test('a gRPC client is served through a socket that its owner alone can connect to', async () => {
  await using mesh = await startTestServer();
  await using folder = await tempFolder();
  mesh.view.set('cluster', 'a');
  const path = folder.join('agent/xds.sock');
  const target = { ...mesh.address, name: 'localhost' };
  await using _tunnel = await openTunnel({ listen: { path }, target, readCertificate: () => filesOf(mesh) });
  const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
  assert.deepEqual([modeOf(path), modeOf(folder.join('agent'))], ['600', '700']);
  await assertServed(`unix://${path}`);
});

test('a stale socket of a killed agent is replaced, a served one is not', async () => {
  await using folder = await tempFolder();
  const path = folder.join('agent/xds.sock');
  const options = { listen: { path }, target: nobody, readCertificate: noFiles };
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  mkdirSync(folder.join('agent'), { mode: 0o700 });
  await runProcess(process.execPath, ['-e', script]);
  assert.ok(statSync(path).isSocket());
  await using _tunnel = await openTunnel(options);
  await assert.rejects(openTunnel(options), { code: 'PortInUse' });
});

test('a socket in an accessible folder is rejected, as is a path that is too long or no socket', async () => {
  await using folder = await tempFolder();
  mkdirSync(folder.join('open'));
  chmodSync(folder.join('open'), 0o755);
  mkdirSync(folder.join('own'), { mode: 0o700 });
  writeFileSync(folder.join('own/file'), '');
  for (const path of [folder.join('open/xds.sock'), folder.join('x'.repeat(120)), folder.join('own/file')])
    await assert.rejects(openTunnel({ listen: { path }, target: nobody, readCertificate: noFiles }), {
      code: 'InvalidTunnel',
    });
});

for (const host of ['0.0.0.0', '192.168.1.1', '::', 'example.org']) {
  test(`a tunnel on ${host}, which other machines can reach, is rejected`, async () => {
    const listen = { host, port: 0 };
    await assert.rejects(openTunnel({ listen, target: nobody, readCertificate: noFiles }), { code: 'InvalidTunnel' });
  });
}

test('a port in use is an error', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const { port } = taken.address() as { port: number };
    const options = { listen: { host: '127.0.0.1', port }, target: nobody, readCertificate: noFiles };
    await assert.rejects(openTunnel(options), { code: 'EADDRINUSE' });
  } finally {
    taken.close();
  }
});
