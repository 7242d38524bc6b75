import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from '@chandlery/testing';
import { startTestMeshServer } from '../../mesh/test-mesh-server.ts';
import { startTestPlace } from '../../mesh/test-place.ts';
import { createTestSigner } from '../../mesh/test-signer.ts';

const program = fileURLToPath(new URL('../../../bin/chandlery.mjs', import.meta.url));

const agentArgs = (...more: readonly string[]): string[] => [
  ...[program, 'mesh', 'agent', '--account', 'shop/web'],
  ...['--dir', 'certificate', ...more],
];

/** The address of the control plane is not read from our own environment. */
const env = { CHANDLERY_XDS_ADDRESS: undefined };

test('mesh agent says in one line that it is ready, and ends with 0 when it is told to', async () => {
  await using place = await startTestPlace();
  const { folder } = place.mesh;
  const listen = `unix://${folder.join('certificate/agent/xds.sock')}`;
  const settings = { cwd: folder.path, env, ready: /Ready/ };
  await using agent = await startProcess(process.execPath, agentArgs(), settings);
  const [line = '', rest] = agent.output().split('\n');
  const xds = `127.0.0.1:${place.controlPlane.port}`;
  assert.ok(line.startsWith(`Ready: ${listen} leads to ${xds}; certificate of shop/web in certificate until `), line);
  assert.equal(rest, '');
  assert.ok(existsSync(folder.join('certificate/cert.pem')));
  agent.signal('SIGTERM');
  assert.deepEqual(await agent.ended, { code: 0, signal: null });
});

test('mesh agent of an Envoy listens nowhere: the Envoy connects by itself', async () => {
  await using place = await startTestPlace();
  const { folder } = place.mesh;
  const settings = { cwd: folder.path, env, ready: /Ready/ };
  await using agent = await startProcess(process.execPath, agentArgs('--node-id', 'web-1'), settings);
  assert.match(agent.output(), /^Ready: certificate of shop\/web in certificate until /);
  assert.equal(existsSync(folder.join('certificate/agent')), false);
  assert.deepEqual(listeningPorts(agent.pid), []);
  const { code, stderr } = await place.mesh.run(...agentArgs('--node-id', 'web-1', '--listen', '127.0.0.1:9').slice(1));
  assert.equal(code, 2);
  assert.match(stderr, /--listen is for gRPC libraries/);
});

/** The inodes of the TCP sockets on which a process listens, from /proc. */
function listeningPorts(pid: number): string[] {
  const own = readdirSync(`/proc/${pid}/fd`).map(fd => readlinkOrNothing(`/proc/${pid}/fd/${fd}`));
  const isListening = 0x0a;
  return ['tcp', 'tcp6']
    .flatMap(table => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map(line => line.trim().split(/\s+/))
    .filter(fields => Number.parseInt(fields[3] ?? '', 16) === isListening && own.includes(`socket:[${fields[9]}]`))
    .map(fields => fields[1] ?? '');
}

function readlinkOrNothing(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('mesh agent does not say that it is ready before it is, but what it waits for, and can be ended', async () => {
  await using place = await startTestPlace();
  const { folder } = place.mesh;
  const nobody = `127.0.0.1:${await freePort()}`;
  const settings = { cwd: folder.path, env, ready: /Waiting for the control plane: .+\n/ };
  const args = agentArgs('--xds-address', nobody);
  await using agent = await startProcess(process.execPath, args, settings);
  assert.match(agent.stderr(), new RegExp(`cannot talk to ${nobody}: no server listens there\\. Next: `));
  assert.equal(agent.stdout(), '');
  agent.signal('SIGTERM');
  assert.deepEqual(await agent.ended, { code: 0, signal: null });
});

test('mesh agent that is refused says why and what to do, and ends with 1', async () => {
  await using place = await startTestPlace();
  place.answer = { status: 401, body: { code: 'Unauthorized', message: 'who are you?' } };
  const { code, stderr } = await place.mesh.run(...agentArgs().slice(1));
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Error: cannot run the agent of the mesh\nWhy: {3}who are you\?\nNext: {2}.*--token-file.*\nCode: {2}\w+\n$/,
  );
});

test('mesh agent does not begin where somebody else listens', async () => {
  await using mesh = await startTestMeshServer(createTestSigner().script);
  const args = ['--account', 'shop/web', '--dir', 'certificate', '--listen', new URL(mesh.url).host];
  const { code, stderr } = await mesh.run('mesh', 'agent', ...args);
  assert.deepEqual([code, mesh.requests.length], [1, 0]);
  assert.match(stderr, /^Error: cannot run the agent of the mesh\nWhy: {3}port \d+ .+ in use\nNext: {2}.+--listen/);
});

test('mesh agent does not take the folder of another account, and says whose it is', async () => {
  await using mesh = await startTestMeshServer(createTestSigner().script);
  const bootstrap = ['mesh', 'bootstrap', 'grpc', '--dir', 'web', '--account'];
  assert.equal((await mesh.run(...bootstrap, 'shop/web')).code, 0);
  const before = readFileSync(mesh.folder.join('web/cert.pem'), 'utf8');
  const agent = ['mesh', 'agent', '--account', 'shop/api', '--dir', 'web'];
  for (const args of [agent, [...bootstrap, 'shop/api']]) {
    const { code, stderr } = await mesh.run(...args);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /\nWhy: {3}the folder .*web belongs to account shop\/web of cluster onboarding\nNext: {2}.*--dir/,
    );
  }
  assert.equal(readFileSync(mesh.folder.join('web/cert.pem'), 'utf8'), before);
});
