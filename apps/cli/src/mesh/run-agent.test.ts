import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { createServer, type TLSSocket } from 'node:tls';
import { createClient } from '@chandlery/client';
import { readCertificateFolder } from '@chandlery/mesh';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { MeshClient } from './mesh-client.ts';
import { type AgentOptions, runAgent } from './run-agent.ts';
import { signerOf } from './signer-of.ts';
import { startTestMeshServer, type TestMeshServer } from './test-mesh-server.ts';
import { createTestSigner, type TestSigner } from './test-signer.ts';

interface ControlPlane extends AsyncDisposable {
  readonly port: number;
  /** Believes the roots that the signer has by now. */
  trust(): void;
}

/** Tells everybody who connects which root signed for whom, and keeps the connection. */
async function startControlPlane(signer: TestSigner): Promise<ControlPlane> {
  const identity = signer.serverCertificate();
  const server = createServer({ ...identity, ca: signer.bundle(), requestCert: true, rejectUnauthorized: true });
  const sockets = new Set<TLSSocket>();
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', socket => {
    sockets.add(socket.on('error', () => undefined));
    const cert = socket.getPeerX509Certificate()?.toString() ?? '';
    socket.write(`${new X509Certificate(cert).subjectAltName} ${signerOf({ cert, ca: signer.bundle() })}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    trust: () => server.setSecureContext({ ...identity, ca: signer.bundle() }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What the control plane says first. */
async function firstWords(socket: Socket): Promise<string> {
  const [words] = (await once(socket, 'data')) as [Buffer];
  return words.toString();
}

async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const words = await firstWords(socket);
  socket.destroy();
  return words;
}

interface RunningAgent extends AsyncDisposable {
  readonly port: number;
}

async function startAgent(mesh: TestMeshServer, options: Partial<AgentOptions>): Promise<RunningAgent> {
  const stop = new AbortController();
  const client = new MeshClient(createClient({ server: mesh.url }));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const ended = runAgent(
    {
      mesh: client,
      account: { cluster: 'eu-1', namespace: 'shop', name: 'web' },
      folder: mesh.folder.join('certificate'),
      listen: { host: '127.0.0.1', port: 0 },
      xds: { host: '127.0.0.1', port: 1 },
      renewEveryMs: 60_000,
      logger: silentLogger,
      onReady: ({ port }) => resolve(port),
      ...options,
    },
    stop.signal,
  );
  ended.catch(reject);
  return {
    port: await promise,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
      await client[Symbol.asyncDispose]();
    },
  };
}

const certificateIn = (mesh: TestMeshServer): X509Certificate => {
  const files = readCertificateFolder(mesh.folder.join('certificate'));
  assert.ok(files);
  return new X509Certificate(files.cert);
};

describe('the agent', () => {
  test('carries plain connections to the control plane in the name of the workload', async () => {
    const signer = createTestSigner();
    await using mesh = await startTestMeshServer(signer.script);
    await using controlPlane = await startControlPlane(signer);
    await using agent = await startAgent(mesh, { xds: { host: '127.0.0.1', port: controlPlane.port } });
    const said = await ask(agent.port);
    assert.match(said, /^URI:spiffe:.*\/tenant\/t\/cluster\/eu-1\/ns\/shop\/sa\/web /);
  });

  test('takes over a certificate that is still good, also that of a proxy of the workload', async () => {
    await using mesh = await startTestMeshServer(createTestSigner().script);
    await (await startAgent(mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    const first = certificateIn(mesh);
    assert.match(first.subjectAltName ?? '', /\/sa\/web\/proxy\/p$/);
    await (await startAgent(mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    assert.equal(certificateIn(mesh).fingerprint256, first.fingerprint256);
    await (await startAgent(mesh, {}))[Symbol.asyncDispose]();
    assert.match(certificateIn(mesh).subjectAltName ?? '', /\/sa\/web$/);
  });

  test("leaves a folder alone that is another account's, proxy's or mesh's", async () => {
    const signers = [createTestSigner(), createTestSigner('other')];
    let present = 0;
    await using mesh = await startTestMeshServer(request => signers[present]?.script(request));
    await (await startAgent(mesh, {}))[Symbol.asyncDispose]();
    const mine = certificateIn(mesh).fingerprint256;
    const account = { cluster: 'eu-1', namespace: 'shop', name: 'api' };
    await assert.rejects(startAgent(mesh, { account }), { code: 'FolderTaken', message: /account shop\/web of/ });
    await assert.rejects(startAgent(mesh, { proxyId: 'p' }), { code: 'FolderTaken', message: /shop\/web .*itself/ });
    present = 1;
    await assert.rejects(startAgent(mesh, {}), { code: 'FolderTaken', message: /shop\/web .*in mesh t$/ });
    assert.equal(certificateIn(mesh).fingerprint256, mine);
  });

  test('begins with the certificate of an earlier run while the landscape is away', async () => {
    const signer = createTestSigner();
    let isAway = false;
    const away = { status: 503, body: { code: 'ServiceUnavailable', message: 'away' } };
    await using mesh = await startTestMeshServer(request => (isAway ? away : signer.script(request)));
    await (await startAgent(mesh, {}))[Symbol.asyncDispose]();
    isAway = true;
    await using agent = await startAgent(mesh, {});
    assert.ok(agent.port > 0);
  });

  for (const [how, often] of [
    ['when it renews its certificate', { renewEveryMs: 20 }],
    ['when it asks for the roots', { trustPollMs: 20 }],
  ] as const)
    test(`follows a new root ${how}: with another certificate, and connections that are made anew`, async () => {
      const signer = createTestSigner();
      await using mesh = await startTestMeshServer(signer.script);
      await using controlPlane = await startControlPlane(signer);
      const xds = { host: '127.0.0.1', port: controlPlane.port };
      await using agent = await startAgent(mesh, { xds, ...often });
      const oldRoot = new X509Certificate(signer.bundle()).fingerprint256;
      const held = connect(agent.port, '127.0.0.1').on('error', () => undefined);
      assert.ok((await firstWords(held)).endsWith(oldRoot));
      const cut = once(held, 'close');
      signer.rotate();
      controlPlane.trust();
      await cut;
      const newRoot = new X509Certificate(signer.bundle()).fingerprint256;
      assert.notEqual(newRoot, oldRoot);
      const said = await eventually(() => ask(agent.port));
      assert.ok(said.endsWith(newRoot), said);
    });

  test('goes on with what it has while the landscape is away', async () => {
    const signer = createTestSigner();
    let isAway = false;
    const away = { status: 503, body: { code: 'ServiceUnavailable', message: 'away' } };
    await using mesh = await startTestMeshServer(request => (isAway ? away : signer.script(request)));
    await using controlPlane = await startControlPlane(signer);
    const xds = { host: '127.0.0.1', port: controlPlane.port };
    await using agent = await startAgent(mesh, { xds, renewEveryMs: 10 });
    isAway = true;
    const asked = mesh.requests.length;
    await eventually(() => mesh.requests.length > asked + 2);
    assert.match(await ask(agent.port), /\/sa\/web /);
  });

  test('that is refused its first certificate says why and ends', async () => {
    await using mesh = await startTestMeshServer(() => ({
      status: 403,
      body: { code: 'Forbidden', message: 'not you' },
    }));
    await assert.rejects(startAgent(mesh, {}), { code: 'Forbidden', message: 'not you' });
  });
});
