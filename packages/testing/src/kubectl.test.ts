import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { kubectl, startKubectl } from './kubectl.ts';
import { tempFolder } from './temp-folder.ts';

test('the real kubectl runs, in a home of its own', async () => {
  const { code, stdout } = await kubectl(['version', '--client', '-o', 'json']);
  assert.equal(code, 0);
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
  assert.match(clientVersion.gitVersion, /^v1\./);
});

test('without a kubeconfig it knows no server but the default one', async () => {
  const { stdout } = await kubectl(['config', 'view', '-o', 'jsonpath={.clusters}']);
  assert.equal(stdout, 'null');
});

test('a home can be shared between calls', async () => {
  await using home = await tempFolder();
  const server = createServer((_request, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using _server = { [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code } = await kubectl(['--server', url, 'get', 'pods'], { home: home.path });
  assert.notEqual(code, 0);
  assert.deepEqual(await readdir(home.path), ['.kube']);
});

test('a kubectl that keeps running is stopped', async () => {
  await using proxy = await startKubectl(['--server', 'http://127.0.0.1:1', 'proxy', '--port', '0'], {
    ready: /Starting to serve/,
  });
  const { signal } = await proxy.stop();
  assert.equal(signal, 'SIGTERM');
});
