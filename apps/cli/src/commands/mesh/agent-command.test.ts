import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from '@chandlery/testing';
import { startTestMeshServer } from '../../mesh/test-mesh-server.ts';
import { createTestSigner } from '../../mesh/test-signer.ts';

const program = fileURLToPath(new URL('../../../bin/chandlery.mjs', import.meta.url));

test('mesh agent says in one line that it is ready, and ends with 0 when it is told to', async () => {
  await using mesh = await startTestMeshServer(createTestSigner().script);
  const listen = `127.0.0.1:${await freePort()}`;
  const args = ['mesh', 'agent', '--account', 'shop/web', '--dir', 'certificate', '--listen', listen];
  await using agent = await startProcess(
    process.execPath,
    [program, ...args, '--xds-address', 'mesh.example.com:443'],
    {
      cwd: mesh.folder.path,
      ready: /Ready/,
    },
  );
  const [line = '', rest] = agent.output().split('\n');
  assert.ok(
    line.startsWith(`Ready: ${listen} leads to mesh.example.com:443; certificate of shop/web in certificate until `),
  );
  assert.equal(rest, '');
  assert.ok(existsSync(mesh.folder.join('certificate/cert.pem')));
  agent.signal('SIGTERM');
  assert.deepEqual(await agent.ended, { code: 0, signal: null });
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
  const listen = `127.0.0.1:${await freePort()}`;
  const agent = ['mesh', 'agent', '--account', 'shop/api', '--dir', 'web', '--listen', listen];
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
