import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { eventually, freePort } from '@chandlery/testing';
import { startTestServer, type TestServer, testIdentity } from '../server/test-server.ts';
import type { CertificateFiles } from './certificate-folder.ts';
import { probeControlPlane } from './connect-control-plane.ts';

const filesOf = ({ authority }: TestServer): CertificateFiles => ({
  ...authority.root.issue(testIdentity),
  ca: authority.trustBundle,
});
const { signal } = new AbortController();

test('a probe connects to the control plane and disconnects', async () => {
  await using mesh = await startTestServer();
  await probeControlPlane({ ...mesh.address, name: 'localhost' }, { files: filesOf(mesh), signal });
  assert.equal(mesh.registry.connected.size, 0);
});

test('a control plane that rejects the certificate is not reachable', async () => {
  await using mesh = await startTestServer();
  await using other = await startTestServer();
  const own = { ...mesh.authority.serverCertificate(['localhost']), ca: other.authority.trustBundle };
  const options = { cert: own.chain, key: own.privateKey, ca: own.ca, requestCert: true, rejectUnauthorized: true };
  const strict = createTlsServer(options).listen(0, '127.0.0.1');
  await once(strict, 'listening');
  try {
    const address = { host: '127.0.0.1', port: (strict.address() as AddressInfo).port, name: 'localhost' };
    await assert.rejects(probeControlPlane(address, { files: filesOf(mesh), signal }));
  } finally {
    strict.close();
  }
});

test('another server on the port is not accepted as the control plane', async () => {
  await using mesh = await startTestServer();
  await using other = await startTestServer();
  const address = { ...other.address, name: 'localhost' };
  await assert.rejects(probeControlPlane(address, { files: filesOf(mesh), signal }), /certificate/);
});

test('a port without a listener is an error', async () => {
  await using mesh = await startTestServer();
  const address = { host: '127.0.0.1', port: await freePort() };
  await assert.rejects(probeControlPlane(address, { files: filesOf(mesh), signal }), { code: 'ECONNREFUSED' });
});

test('a server that does not respond is given up after the timeout or an abort, and its socket is closed', async () => {
  await using mesh = await startTestServer();
  const sockets = new Set<Socket>();
  const silent = createServer(socket => void sockets.add(socket.resume())).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  try {
    const address = { host: '127.0.0.1', port: (silent.address() as AddressInfo).port };
    const files = filesOf(mesh);
    const late = probeControlPlane(address, { files, signal, timeoutMs: 50 });
    await assert.rejects(late, { code: 'Timeout', message: `127.0.0.1:${address.port} did not respond in time` });
    const stopped = probeControlPlane(address, { files, signal: AbortSignal.timeout(50) });
    await assert.rejects(stopped, { name: 'AbortError' });
    await eventually(() => sockets.size === 2 && [...sockets].every(({ destroyed }) => destroyed));
  } finally {
    silent.close();
  }
});
